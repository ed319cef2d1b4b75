import type { Save } from "@/api/library";
import { stored } from "@/composables/stored";

/** Saves that were never sent and of which nobody knows whose they are: earlier versions kept them without a user. */
export interface UnownedSave {
  key: string;
  body: Save;
  at: string;
}

const KEY = "nexus.outbox";
const saves = stored<UnownedSave[]>(KEY, []);
const declined = stored<string[]>("nexus.outbox-declined", []);

const isSave = (one: unknown): one is UnownedSave =>
  typeof one === "object" && one !== null && "key" in one && "body" in one && "at" in one;

export const unownedSaves = {
  read: (): UnownedSave[] => {
    const found: unknown = saves.read();
    return Array.isArray(found) ? found.filter(isSave) : [];
  },
  /** Whether they were kept. */
  add: (more: UnownedSave[]): boolean => saves.write([...more, ...unownedSaves.read()]),
  remove: (keys: ReadonlySet<string>) => {
    const found = unownedSaves.read();
    const rest = found.filter((one) => !keys.has(one.key));
    if (rest.length < found.length) saves.write(rest);
  },
  /** "Not mine": they are kept for whoever made them, and this user is not asked again. */
  decline: (user: string) => declined.write([...declined.read(), user]),
  isDeclinedBy: (user: string) => declined.read().includes(user),
};
