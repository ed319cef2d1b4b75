import type { Entry } from "@/api/types";

/** What a user changes of one entry of the library; each tag is a change by itself. */
export type EntryChange =
  | { field: "read" | "archived" | "starred"; value: boolean }
  | { field: "title" | "note"; value: string }
  | { field: "tag"; name: string; value: boolean }
  | { field: "deleted"; itemId: string | null };

/**
 * `at`: when the user decided, by the clock of this device; `after`: by that of the server it was later than this (see
 * server-clock.ts). `title`: the entry's, for messages.
 */
export type Decision = EntryChange & { mediaId: string; at: string; after?: number; title: string };

/** Tags are the same whatever their case and accents. */
export const folded = (name: string) =>
  name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();

const CHILDREN = "/";

/** Whether `name` is `tag` or one below it. */
export const isWithin = (name: string, tag: string) =>
  folded(name) === folded(tag) || folded(name).startsWith(folded(tag) + CHILDREN);

/** The name of a slot: the later of two decisions about it counts. */
export const slotOf = (mediaId: string, change: EntryChange) =>
  `${mediaId}.${change.field}${change.field === "tag" ? `.${folded(change.name)}` : ""}`;

/** Whether one request can do both: the same was decided for many entries at once. */
export function isTogether(a: Decision, b: Decision): boolean {
  if (a.at !== b.at || a.field !== b.field) return false;
  if (a.field === "deleted") return true;
  return b.field !== "deleted" && a.value === b.value && (a.field !== "tag" || b.field !== "tag" || a.name === b.name);
}

const byName = (a: string, b: string) => a.localeCompare(b);

function withTag(tags: string[], name: string, isOn: boolean): string[] {
  const others = tags.filter((one) => folded(one) !== folded(name));
  return isOn ? [...others, tags.find((one) => folded(one) === folded(name)) ?? name].sort(byName) : others;
}

/** The entry as it is once the server has the change. Without its own title, only the server knows the page's. */
export function changed(entry: Entry, change: EntryChange, at: string): Entry {
  switch (change.field) {
    case "read":
      return { ...entry, read_at: change.value ? at : null };
    case "archived":
      return { ...entry, archived_at: change.value ? at : null };
    case "starred":
      return { ...entry, starred_at: change.value ? at : null };
    case "title":
      return { ...entry, own_title: change.value || null, title: change.value || entry.title };
    case "note":
      return { ...entry, note: change.value || null };
    case "tag":
      return { ...entry, tags: withTag(entry.tags, change.name, change.value) };
    case "deleted":
      return entry;
  }
}

/** What takes `change` back; null where it changes nothing, or cannot be taken back. */
export function reversed(entry: Entry, change: EntryChange): EntryChange | null {
  switch (change.field) {
    case "read":
      return differs(change, entry.read_at !== null);
    case "archived":
      return differs(change, entry.archived_at !== null);
    case "starred":
      return differs(change, entry.starred_at !== null);
    case "title":
      return differs(change, entry.own_title ?? "");
    case "note":
      return differs(change, entry.note ?? "");
    case "tag":
      return differs(
        change,
        entry.tags.some((one) => folded(one) === folded(change.name)),
      );
    case "deleted":
      return null;
  }
}

function differs(change: Exclude<EntryChange, { field: "deleted" }>, before: boolean | string): EntryChange | null {
  return change.value === before ? null : ({ ...change, value: before } as EntryChange);
}

/** What `change` changed is as it was before; the rest stays as it is now. */
export function restored(now: Entry, before: Entry, change: EntryChange): Entry {
  switch (change.field) {
    case "read":
      return { ...now, read_at: before.read_at };
    case "archived":
      return { ...now, archived_at: before.archived_at };
    case "starred":
      return { ...now, starred_at: before.starred_at };
    case "title":
      return { ...now, own_title: before.own_title, title: before.title };
    case "note":
      return { ...now, note: before.note };
    case "tag": {
      const was = before.tags.find((one) => folded(one) === folded(change.name));
      return { ...now, tags: withTag(now.tags, was ?? change.name, was !== undefined) };
    }
    case "deleted":
      return now;
  }
}
