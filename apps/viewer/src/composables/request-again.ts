import type { Query, QueryClient, QueryKey } from "@tanstack/vue-query";

type Matching = { queryKey: QueryKey } | { predicate: (query: Query) => boolean };

/**
 * Requests again, after a change, what matches and is shown. A first request that is under way may have been read before
 * the change, and TanStack starts no other one beside it: another one follows once it has succeeded.
 */
export async function requestAgain(client: QueryClient, matching: Matching): Promise<void> {
  const isFirst = ({ state }: Query) => state.data === undefined && state.fetchStatus !== "idle";
  const first = client.getQueryCache().findAll(matching).filter(isFirst);
  const afterwards = async (query: Query) => {
    await query.promise?.catch(() => {}); // whoever shows it says what failed, and it stays invalidated
    if (!query.state.isInvalidated) await client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  };
  await Promise.all([client.invalidateQueries(matching), ...first.map(afterwards)]);
}

/** Besides the lists. Where a text was left is told again as it is read on. */
const UPDATED_BY_EVENTS = new Set<unknown>([
  "receipt",
  "media",
  "entry",
  "read",
  "highlights",
  "all-highlights",
  "highlight-review",
  "tags",
  "saved-searches",
]);

const isUpdatedByEvents = ({ queryKey }: Query) => UPDATED_BY_EVENTS.has(queryKey[0]);

/** Once there is a connection for events: what changed before was not told. */
export const requestUpdatedByEvents = (client: QueryClient) => requestAgain(client, { predicate: isUpdatedByEvents });
