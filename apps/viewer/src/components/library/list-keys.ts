import type { Entry } from "@/api/types";
import type { useActions } from "@/composables/organise/useActions";
import type { useSelection } from "@/composables/organise/useSelection";
import { openDialog } from "./dialogs/open-dialog";

interface List {
  shown: () => Entry[];
  /** More than is loaded. */
  hasMore: () => boolean;
  /** The row that the keys act on. */
  current: { value: number };
  open: (entry: Entry | undefined) => void;
  receipt: (entry: Entry) => void;
  remove: (entry: Entry) => void;
  focusSearch: () => void;
  bulk: { archive: () => void; star: () => void; read: () => void; tag: () => void; remove: () => void };
}

/** The keys of the library: on the selected rows where there are some, else on the current one. */
export function listKeys(
  list: List,
  actions: ReturnType<typeof useActions>,
  selection: ReturnType<typeof useSelection>,
): Record<string, (event: KeyboardEvent) => void> {
  const currentEntry = () => list.shown()[list.current.value];
  const on = (act: (entry: Entry) => void, many?: () => void) => () => {
    const entry = currentEntry();
    if (many && selection.count.value) many();
    else if (entry) act(entry);
  };
  function move(by: number): void {
    const last = list.shown().length - 1;
    list.current.value = Math.min(Math.max(list.current.value + by, 0), last);
  }
  function select(): void {
    const entry = currentEntry();
    if (entry && !selection.has(entry)) selection.toggle(entry);
  }
  function moveAndSelect(by: number): void {
    select();
    move(by);
    select();
  }
  return {
    j: () => move(1),
    k: () => move(-1),
    J: () => moveAndSelect(1),
    K: () => moveAndSelect(-1),
    o: () => list.open(currentEntry()),
    e: on((entry) => actions.toggleArchived([entry]), list.bulk.archive),
    s: on((entry) => actions.toggleStarred([entry]), list.bulk.star),
    m: on((entry) => actions.toggleRead([entry]), list.bulk.read),
    l: on((entry) => openDialog({ kind: "tag", entries: [entry] }), list.bulk.tag),
    i: on((entry) => openDialog({ kind: "edit", entry })),
    "#": on((entry) => list.remove(entry), list.bulk.remove),
    r: on((entry) => list.receipt(entry)),
    v: on((entry) => {
      const url = entry.requested_url ?? entry.canonical_url;
      if (url) window.open(url, "_blank", "noopener,noreferrer");
    }),
    x: on((entry) => selection.toggle(entry)),
    X: on((entry) => selection.extend(entry, list.shown())),
    "*": () => selection.selectAll(list.shown(), list.hasMore()),
    Escape: () => selection.clear(),
    "/": () => list.focusSearch(),
  };
}
