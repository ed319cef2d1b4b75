/** Runs `work` for each, so many at once. One that fails does not stop the others. */
export async function forEachLimit<Item>(
  items: Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const run = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await work(next).catch((error) => console.warn("not kept for reading offline:", next, error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}
