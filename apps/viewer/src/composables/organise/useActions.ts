import { useQueryClient } from "@tanstack/vue-query";
import { isUnread } from "@/api/filters";
import type { Entry } from "@/api/types";
import { actionQueue } from "@/device/action-queue";
import { changed, type EntryChange, restored, reversed } from "@/device/decisions";
import * as texts from "@/texts";
import { useLibraryUpdates } from "../useLibrary";
import { undoSeconds, useToasts } from "../useToasts";

/** Changes of entries: shown at once, sent when the server can be reached, and taken back by Undo. */
export function useActions() {
  const client = useQueryClient();
  const { applyEntries } = useLibraryUpdates();
  const { show } = useToasts();

  /** With what was done since: `applyEntries` keeps each one that it shows. */
  const latest = (entry: Entry) => client.getQueryData<Entry>(["entry", entry.media_id]) ?? entry;

  /** The function takes it back; null: nothing changed. */
  function perform(entries: Entry[], change: EntryChange): (() => void) | null {
    const before = entries.filter((entry) => reversed(entry, change) !== null);
    if (!before.length) return null;
    const at = actionQueue.addMany(before, () => [change]);
    applyEntries(before.map((entry) => changed(entry, change, at)));
    return () => {
      const back = new Map(before.map((entry) => [entry.media_id, reversed(entry, change)]));
      actionQueue.addMany(before, (entry) => [back.get(entry.media_id) ?? []].flat());
      applyEntries(before.map((entry) => restored(latest(entry), entry, change)));
    };
  }

  function showDone(message: string, undo: (() => void) | null, count = 1): void {
    if (undo) show(message, { action: { label: texts.removal.undo, run: undo }, seconds: undoSeconds(count) });
  }

  const archive = (entries: Entry[], value: boolean) =>
    showDone(texts.actions.archived(entries, value), perform(entries, { field: "archived", value }), entries.length);
  const star = (entries: Entry[], value: boolean) => {
    const undo = perform(entries, { field: "starred", value });
    if (entries.length > 1) showDone(texts.actions.starred(entries, value), undo, entries.length); // one shows its star
  };
  const markRead = (entries: Entry[], value: boolean) => {
    const readable = entries.filter((entry) => entry.can_read || entry.can_play);
    const undo = perform(readable, { field: "read", value });
    if (entries.length > 1) showDone(texts.actions.marked(readable, value), undo, entries.length);
  };

  return {
    archive,
    star,
    markRead,
    /** Archives all of them; moves them to the Inbox where all are archived. */
    toggleArchived: (entries: Entry[]) =>
      archive(
        entries,
        entries.some((entry) => entry.archived_at === null),
      ),
    toggleStarred: (entries: Entry[]) =>
      star(
        entries,
        entries.some((entry) => entry.starred_at === null),
      ),
    toggleRead: (entries: Entry[]) => markRead(entries, entries.some(isUnread)),
    /** Without a message: whoever tags sees it. */
    tag: (entries: Entry[], name: string, value: boolean) => perform(entries, { field: "tag", name, value }),
    tagged: (entries: Entry[], name: string) =>
      showDone(
        texts.actions.tagged(entries, name),
        perform(entries, { field: "tag", name, value: true }),
        entries.length,
      ),
    /** One message about all that was done in one dialog, to be undone together. */
    tellTagged: (entries: Entry[], done: { name: string; isOn: boolean; undo: () => void }[]) => {
      const undoAll = () => {
        for (const { undo } of done.toReversed()) undo();
      };
      const isAdded = done.every((one) => one.isOn);
      const names = done.map((one) => one.name).join("”, “");
      const message = isAdded ? texts.actions.tagged(entries, names) : texts.actions.tagsChanged(entries);
      showDone(message, done.length ? undoAll : null, entries.length);
    },
    edit: (entry: Entry, title: string, note: string) => {
      const undos = [
        perform([entry], { field: "title", value: title }),
        perform([{ ...entry, ...(title ? { title, own_title: title } : {}) }], { field: "note", value: note }),
      ];
      const undoAll = () => {
        for (const undo of undos.toReversed()) undo?.();
      };
      showDone(texts.actions.edited, undos.some(Boolean) ? undoAll : null);
    },
  };
}
