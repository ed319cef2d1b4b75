import type { SaveRequest } from "@/api/library";
import { storedValue } from "@/device/stored-value";

/** Unsent items whose user is unknown: earlier versions stored them without one. */
interface UnownedItem {
  key: string;
  body: SaveRequest;
  at: string;
}

const KEY = "nexus.outbox";
const saves = storedValue<UnownedItem[]>(KEY, []);
const declined = storedValue<string[]>("nexus.outbox-declined", []);

const isSave = (one: unknown): one is UnownedItem =>
  typeof one === "object" && one !== null && "key" in one && "body" in one && "at" in one;

export const unownedItems = {
  read: (): UnownedItem[] => {
    const found: unknown = saves.read();
    return Array.isArray(found) ? found.filter(isSave) : [];
  },
  /** Whether they were stored. */
  add: (more: UnownedItem[]): boolean => saves.write([...more, ...unownedItems.read()]),
  remove: (keys: ReadonlySet<string>) => {
    const found = unownedItems.read();
    const rest = found.filter((one) => !keys.has(one.key));
    if (rest.length < found.length) saves.write(rest);
  },
  /** "Not mine": they stay stored, and this user is not asked again. */
  decline: (user: string) => declined.write([...declined.read(), user]),
  isDeclinedBy: (user: string) => declined.read().includes(user),
};
