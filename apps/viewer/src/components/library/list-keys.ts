import type { Entry } from "@/api/types";
import type { useActions } from "@/composables/organise/useActions";
import type { useSelection } from "@/composables/organise/useSelection";
import { openDialog } from "./dialogs/open-dialog";

interface List {
  shown: () => Entry[];
  /** More than is loaded. */
  hasMore: () => boolean;
  /** The row that the keys act on. */
  selected: { value: number };
  open: (entry: Entry | undefined) => void;
  receipt: (entry: Entry) => void;
  remove: (entry: Entry) => void;
  focusSearch: () => void;
  bulk: { archive: () => void; star: () => void; read: () => void; tag: () => void; remove: () => void };
}

/** The keys of the library: on the picked rows where there are some, else on the selected one. */
export function listKeys(
  list: List,
  actions: ReturnType<typeof useActions>,
  selection: ReturnType<typeof useSelection>,
): Record<string, (event: KeyboardEvent) => void> {
  const current = () => list.shown()[list.selected.value];
  const on = (act: (entry: Entry) => void, many?: () => void) => () => {
    const entry = current();
    if (many && selection.count.value) many();
    else if (entry) act(entry);
  };
  function move(by: number): void {
    const last = list.shown().length - 1;
    list.selected.value = Math.min(Math.max(list.selected.value + by, 0), last);
  }
  function pick(): void {
    const entry = current();
    if (entry && !selection.has(entry)) selection.toggle(entry);
  }
  function moveAndPick(by: number): void {
    pick();
    move(by);
    pick();
  }
  return {
    j: () => move(1),
    k: () => move(-1),
    J: () => moveAndPick(1),
    K: () => moveAndPick(-1),
    o: () => list.open(current()),
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
    "*": () => selection.pickAll(list.shown(), list.hasMore()),
    Escape: () => selection.clear(),
    "/": () => list.focusSearch(),
  };
}
