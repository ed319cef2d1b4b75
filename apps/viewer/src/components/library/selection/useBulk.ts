import { isUnread } from "@/api/filters";
import type { Entry } from "@/api/types";
import { useActions } from "@/composables/organise/useActions";
import { useSelection } from "@/composables/organise/useSelection";
import { useRemovalOfMany } from "@/composables/useRemoval";
import { texts } from "@/texts";
import { openDialog } from "../dialogs/open-dialog";

/** Acts on the picked rows. */
export function useBulk() {
  const selection = useSelection();
  const actions = useActions();
  const remove = useRemovalOfMany();

  /** `isNew`: what was decided for one that is not so yet. */
  function change(field: "archived" | "starred" | "read", isNew: (entry: Entry) => boolean): void {
    const entries = selection.entries();
    const value = entries.some(isNew);
    selection.clear();
    ({ archived: actions.archive, starred: actions.star, read: actions.markRead })[field](entries, value);
  }

  function removeAll(): void {
    const targets = selection
      .entries()
      .map((one) => ({ itemId: one.item_id, mediaId: one.media_id, title: one.title }));
    selection.clear();
    const [only] = targets;
    remove(
      targets,
      targets.length === 1 && only ? texts.removal.removed(only.title) : texts.actions.removed(targets.length),
    );
  }

  return {
    archive: () => change("archived", (entry) => entry.archived_at === null),
    star: () => change("starred", (entry) => entry.starred_at === null),
    read: () => change("read", isUnread),
    tag: () => openDialog({ kind: "tag", entries: selection.entries() }),
    remove: removeAll,
  };
}
