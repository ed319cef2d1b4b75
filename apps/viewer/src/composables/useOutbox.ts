import { shallowRef } from "vue";
import { ApiError, messageOf } from "@/api/errors";
import { type Save, save } from "@/api/library";
import { newKey } from "@/device/new-key";
import { stored } from "./stored";

export interface Outgoing {
  key: string;
  body: Save;
  /** sending → sent (shown until the list has it); waiting: no connection; refused: the server said why. */
  state: "sending" | "sent" | "waiting" | "refused";
  itemId?: string;
  message?: string;
  at: string;
}

const AT_ONCE = 4;
const RETRY_MS = 15_000;
const storage = stored<Outgoing[]>("nexus.outbox", []);
// What a closed page left behind is sent again: saving twice only moves the save up, losing it is not an option.
const outgoing = shallowRef<Outgoing[]>(storage.read().map((one) => ({ ...one, state: "waiting" as const })));
let onSent: () => void = () => {};
let sending = 0;

function change(key: string, difference: Partial<Outgoing>): void {
  outgoing.value = outgoing.value.map((one) => (one.key === key ? { ...one, ...difference } : one));
  persist();
}

function persist(): void {
  storage.write(outgoing.value.filter((one) => one.state !== "sent"));
}

function drop(keys: Set<string>): void {
  outgoing.value = outgoing.value.filter((one) => !keys.has(one.key));
  persist();
}

function add(bodies: Save[]): void {
  const at = new Date().toISOString();
  const fresh = bodies.map((body) => ({ key: newKey(), body, state: "waiting" as const, at }));
  outgoing.value = [...fresh.reverse(), ...outgoing.value];
  persist();
  send();
}

/** Everything that waits, oldest first, a few at a time. */
function send(): void {
  while (sending < AT_ONCE) {
    const next = outgoing.value.findLast((one) => one.state === "waiting");
    if (!next) return;
    sending += 1;
    change(next.key, { state: "sending" });
    deliver(next).then((goOn) => {
      sending -= 1;
      if (goOn) send();
    });
  }
}

async function deliver({ key, body }: Outgoing): Promise<boolean> {
  try {
    const answer = await save(body);
    change(key, { state: "sent", itemId: answer.id });
    onSent();
    return true;
  } catch (error) {
    const temporary = error instanceof ApiError && (error.isTemporary || error.status === 401);
    change(key, { state: temporary ? "waiting" : "refused", message: messageOf(error) });
    return !temporary;
  }
}

/** Whatever has been sent by now will be in the next list; call the result when that list is there. */
function settling(): () => void {
  const keys = new Set(outgoing.value.filter((one) => one.state === "sent").map((one) => one.key));
  return () => drop(keys);
}

window.addEventListener("online", send);
window.setInterval(send, RETRY_MS);

export function useOutbox() {
  return {
    outgoing,
    add,
    send,
    settling,
    dismiss: (key: string) => drop(new Set([key])),
    whenSent: (listener: () => void) => {
      onSent = listener;
    },
  };
}
