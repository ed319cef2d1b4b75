/** How many of an ordered list come before: all that `isBefore` says yes to are at its beginning. */
export function countBefore<Item>(items: readonly Item[], isBefore: (item: Item, index: number) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(items[middle] as Item, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
