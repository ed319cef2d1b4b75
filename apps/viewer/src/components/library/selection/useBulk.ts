import { changeAll, undoBulk } from "@/api/actions";
import { messageOf } from "@/api/errors";
import { isUnread, type Search } from "@/api/filters";
import type { Entry } from "@/api/types";
import { useActions } from "@/composables/organise/useActions";
import { useSelection } from "@/composables/organise/useSelection";
import { useTagUpdates } from "@/composables/organise/useTags";
import { useLibraryUpdates } from "@/composables/useLibrary";
import { useRemovalOfMany } from "@/composables/useRemoval";
import { useToasts } from "@/composables/useToasts";
import { actionQueue } from "@/device/action-queue";
import type { EntryChange } from "@/device/decisions";
import * as texts from "@/texts";
import { openDialog } from "../dialogs/open-dialog";

/** Acts on the selected rows; where all results are selected, on all of them, also those that are not loaded. */
export function useBulk(search: () => Search, loadAll: () => Promise<Entry[]>) {
  const refreshTags = useTagUpdates();
  const selection = useSelection();
  const actions = useActions();
  const remove = useRemovalOfMany();
  const { refreshWhole } = useLibraryUpdates();
  const { show } = useToasts();

  function updated(): void {
    refreshWhole();
    refreshTags();
  }

  async function undo(token: string): Promise<void> {
    try {
      const { restored } = await undoBulk(token);
      show(texts.actions.undone(restored));
    } catch (error) {
      show(texts.actions.undoFailed(messageOf(error)), { tone: "bad" });
    }
    updated();
  }

  /** On the server, in one request: needs a connection. */
  async function changeResults(change: EntryChange, message: (count: number) => string): Promise<void> {
    const wanted = search();
    try {
      await actionQueue.finish().catch(() => {}); // what was decided before counts before; refusals are told
      const { changed, undo: token } = await changeAll(wanted, change);
      selection.clear();
      const options = token ? { action: { label: texts.removal.undo, run: () => void undo(token) }, seconds: 12 } : {};
      show(message(changed), options);
    } catch (error) {
      show(texts.actions.failed(messageOf(error)), { tone: "bad" });
    }
    updated();
  }

  function set(field: "archived" | "starred" | "read", value: boolean): void {
    const words = { archived: texts.actions.archived, starred: texts.actions.starred, read: texts.actions.marked };
    if (selection.isAll.value) {
      void changeResults({ field, value }, (count) => words[field](count, value));
      return;
    }
    const entries = selection.entries();
    selection.clear();
    ({ archived: actions.archive, starred: actions.star, read: actions.markRead })[field](entries, value);
  }

  /** Sets it on all entries, or removes it where all have it. */
  const toggle = (field: "archived" | "starred" | "read", isNew: (entry: Entry) => boolean) =>
    set(field, selection.entries().some(isNew));

  async function removeAll(): Promise<void> {
    try {
      const entries = selection.isAll.value ? await loadAll() : selection.entries();
      selection.clear();
      remove(entries.map((one) => ({ itemId: one.item_id, mediaId: one.media_id, title: one.title })));
    } catch (error) {
      show(texts.actions.failed(messageOf(error)), { tone: "bad" });
    }
  }

  function tagWith(name: string): void {
    if (!selection.isAll.value) actions.tagged(selection.entries(), name);
    else void changeResults({ field: "tag", name, value: true }, (count) => texts.actions.tagged(count, name));
  }

  function tag(): void {
    if (selection.isAll.value) openDialog({ kind: "tag-all", tag: tagWith });
    else openDialog({ kind: "tag", entries: selection.entries() });
  }

  return {
    set,
    archive: () => toggle("archived", (entry) => entry.archived_at === null),
    star: () => toggle("starred", (entry) => entry.starred_at === null),
    read: () => toggle("read", isUnread),
    tag,
    tagWith,
    remove: () => void removeAll(),
  };
}
