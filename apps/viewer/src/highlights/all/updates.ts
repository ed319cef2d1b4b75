import type { InfiniteData, QueryClient } from "@tanstack/vue-query";
import type { HighlightPage, ListedHighlight, Review } from "@/api/highlights";
import { requestAgain } from "@/composables/request-again";
import { highlightQueue } from "../highlight-queue";

export const ALL_HIGHLIGHTS = "all-highlights";
export const REVIEW = "highlight-review";

export type Pages = InfiniteData<HighlightPage, string | null>;

/** Many changes come together, and each page that was scrolled through is loaded again. */
const BATCH_MS = 250;

/** Loads the lists of highlights again that are shown: one time for many changes, and never two at once. */
export function createListRefresher(client: QueryClient): () => void {
  let isWanted = false;
  let isRunning = false;
  async function run(): Promise<void> {
    isRunning = true;
    while (isWanted) {
      await new Promise((resolve) => window.setTimeout(resolve, BATCH_MS));
      isWanted = false;
      await Promise.all([ALL_HIGHLIGHTS, REVIEW].map((name) => requestAgain(client, { queryKey: [name] })));
    }
    isRunning = false;
  }
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}

/** Keeps what was just sent in the lists that are loaded, until the server's own answer comes. */
export function adoptSent(client: QueryClient): void {
  const withPending = (highlights: ListedHighlight[]) => highlightQueue.withPendingInEach(highlights);
  client.setQueriesData<Pages>(
    { queryKey: [ALL_HIGHLIGHTS] },
    (known) =>
      known && { ...known, pages: known.pages.map((page) => ({ ...page, highlights: withPending(page.highlights) })) },
  );
  client.setQueriesData<Review>(
    { queryKey: [REVIEW] },
    (known) => known && { ...known, highlights: withPending(known.highlights) },
  );
}
