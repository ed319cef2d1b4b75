import { sendDecision, sendTogether, timeOf } from "@/api/actions";
import { latestServerTime } from "@/api/server-clock";
import { actionQueue } from "@/device/action-queue";
import type { Decision } from "@/device/decisions";
import { deviceUser } from "@/device/user";
import { track } from "@/player/state";
import { withPlayer } from "@/player/with-player";
import * as texts from "@/texts";
import { useLibraryUpdates } from "./useLibrary";
import { undoSeconds, useToasts } from "./useToasts";

/** An item, or the media where there is none, as for episodes. */
interface Target {
  itemId: string | null;
  mediaId: string;
}

type TitledTarget = Target & { title: string };

let isLeaving = false;
function onLeave({ type }: Event): void {
  isLeaving = type === "pagehide";
}

/** What is removed as the page is left is sent at once. For the whole app; call the result to stop. */
export function startRemovals(): () => void {
  window.addEventListener("pagehide", onLeave, { capture: true }); // before the toasts disappear
  window.addEventListener("pageshow", onLeave);
  return () => {
    window.removeEventListener("pagehide", onLeave, { capture: true });
    window.removeEventListener("pageshow", onLeave);
  };
}

/** Deletes now what could still be undone, and waits for the server; throws the first refusal. */
export async function finishRemovals(): Promise<void> {
  useToasts().dismissAll();
  await actionQueue.finish();
}

const idOf = ({ itemId, mediaId }: Target) => itemId ?? mediaId;

function send(targets: TitledTarget[]): void {
  const items = new Map(targets.map(({ mediaId, itemId }) => [mediaId, itemId]));
  const entries = targets.map(({ mediaId, title }) => ({ media_id: mediaId, title }));
  const at = actionQueue.addMany(entries, ({ media_id }) => [
    { field: "deleted", itemId: items.get(media_id) ?? null },
  ]);
  if (!isLeaving) return;
  actionQueue.markLate(); // a page that the browser restores may send it hours later
  sendBeforeLeaving(targets, at);
}

/** The queue would not get so far; what this does not send either, it sends the next time. */
function sendBeforeLeaving(targets: TitledTarget[], at: string): void {
  const user = deviceUser.value;
  if (!user) return;
  const decisions = targets.map((target): Decision => ({ field: "deleted", at, after: latestServerTime(), ...target }));
  const [only] = decisions;
  const time = timeOf(decisions);
  if (decisions.length > 1) void sendTogether(decisions, user, time, { keepalive: true }).catch(() => {});
  else if (only) void sendDecision(only, user, time).catch(() => {});
}

/** Hides them at once, and deletes them when it can no longer be undone. */
export function useRemovalOfMany() {
  const { isHidden, hide, unhide } = useLibraryUpdates();
  const { show } = useToasts();

  return (all: TitledTarget[]): void => {
    const targets = all.filter(({ mediaId }) => !isHidden(mediaId)); // else Undo of one would not stop the other
    const [first] = targets;
    if (!first) return;
    const ids = targets.flatMap((one) => [one.mediaId, idOf(one)]);
    hide(...ids);
    const playing = track.value?.mediaId;
    if (playing && targets.some(({ mediaId }) => mediaId === playing))
      void withPlayer((player) => player.remove(playing));
    show(targets.length === 1 ? texts.removal.removed(first.title) : texts.actions.removed(targets.length), {
      action: { label: texts.removal.undo, run: () => unhide(...ids) },
      onGone: () => send(targets),
      seconds: undoSeconds(targets.length),
    });
  };
}

export function useRemoval() {
  const remove = useRemovalOfMany();
  return (target: Target, title: string) => remove([{ ...target, title }]);
}
