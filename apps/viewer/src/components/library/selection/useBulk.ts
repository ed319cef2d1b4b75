import { useQueryClient } from "@tanstack/vue-query";
import { changeAll, undoBulk } from "@/api/actions";
import { messageOf } from "@/api/errors";
import { isUnread, type Search } from "@/api/filters";
import type { Entry } from "@/api/types";
import { useActions } from "@/composables/organise/useActions";
import { useSelection } from "@/composables/organise/useSelection";
import { useLibraryUpdates } from "@/composables/useLibrary";
import { useRemovalOfMany } from "@/composables/useRemoval";
import { useToasts } from "@/composables/useToasts";
import type { Change } from "@/device/decisions";
import { texts } from "@/texts";
import { openDialog } from "../dialogs/open-dialog";

/** Acts on the picked rows; where all results are picked, on all of them, also those that are not loaded. */
export function useBulk(search: () => Search, loadAll: () => Promise<Entry[]>) {
  const client = useQueryClient();
  const selection = useSelection();
  const actions = useActions();
  const remove = useRemovalOfMany();
  const { refreshWhole } = useLibraryUpdates();
  const { show } = useToasts();

  function updated(): void {
    refreshWhole();
    void client.invalidateQueries({ queryKey: ["tags"] });
    void client.invalidateQueries({ queryKey: ["saved-searches"] });
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
  async function changeResults(change: Change, message: (count: number) => string): Promise<void> {
    try {
      const { changed, undo: token } = await changeAll(search(), change);
      selection.clear();
      const options = token ? { action: { label: texts.removal.undo, run: () => void undo(token) }, seconds: 12 } : {};
      show(message(changed), options);
    } catch (error) {
      show(texts.actions.failed(messageOf(error)), { tone: "bad" });
    }
    updated();
  }

  /** `isNew`: what was decided for one that is not so yet. */
  function change(field: "archived" | "starred" | "read", isNew: (entry: Entry) => boolean): void {
    const entries = selection.entries();
    const value = entries.some(isNew);
    const words = { archived: texts.actions.archived, starred: texts.actions.starred, read: texts.actions.marked }[
      field
    ];
    if (selection.isAll.value) {
      const counted = (count: number) =>
        words(
          Array.from({ length: count }, () => ({ title: texts.library.untitled })),
          value,
        );
      void changeResults({ field, value }, counted);
      return;
    }
    selection.clear();
    ({ archived: actions.archive, starred: actions.star, read: actions.markRead })[field](entries, value);
  }

  async function removeAll(): Promise<void> {
    try {
      const entries = selection.isAll.value ? await loadAll() : selection.entries();
      selection.clear();
      const targets = entries.map((one) => ({ itemId: one.item_id, mediaId: one.media_id, title: one.title }));
      remove(
        targets,
        targets.length === 1 && targets[0]
          ? texts.removal.removed(targets[0].title)
          : texts.actions.removed(targets.length),
      );
    } catch (error) {
      show(texts.actions.failed(messageOf(error)), { tone: "bad" });
    }
  }

  function tag(): void {
    if (!selection.isAll.value) openDialog({ kind: "tag", entries: selection.entries() });
    else {
      openDialog({
        kind: "tag-all",
        tag: (name, value) =>
          void changeResults({ field: "tag", name, value }, (count) =>
            texts.actions.tagged(
              Array.from({ length: count }, () => ({ title: texts.library.untitled })),
              name,
            ),
          ),
      });
    }
  }

  return {
    archive: () => change("archived", (entry) => entry.archived_at === null),
    star: () => change("starred", (entry) => entry.starred_at === null),
    read: () => change("read", isUnread),
    tag,
    remove: () => void removeAll(),
  };
}
