import type { QueryKey } from "@tanstack/vue-query";

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

/** Whether events tell what changes of it: before there is a connection for them nothing does. */
export const isUpdatedByEvents = ({ queryKey }: { queryKey: QueryKey }) => UPDATED_BY_EVENTS.has(queryKey[0]);
