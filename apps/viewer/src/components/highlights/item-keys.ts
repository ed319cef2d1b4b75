import type { ListedHighlight } from "@/api/highlights";
import type { useItemActions } from "./useItemActions";

interface List {
  /** The highlight that the keys act on. */
  current: () => ListedHighlight | undefined;
  move: (by: 1 | -1) => void;
}

/** The keys of a list of highlights. */
export function itemKeys(list: List, actions: ReturnType<typeof useItemActions>): Record<string, () => void> {
  const on = (act: (one: ListedHighlight) => unknown) => () => {
    const one = list.current();
    if (one) act(one);
  };
  return {
    j: () => list.move(1),
    k: () => list.move(-1),
    o: on(actions.open),
    n: on(actions.note),
    l: on(actions.tags),
    c: on(actions.copyMarkdown),
    "#": on(actions.remove),
  };
}
