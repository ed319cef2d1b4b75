import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { computed, type Ref, ref, watch } from "vue";
import { ApiError, messageOf } from "@/api/errors";
import { fetchAgain, fetchReceipt } from "@/api/library";
import type { Media } from "@/api/types";
import * as texts from "@/texts";
import { useLibraryUpdates } from "./useLibrary";
import { useToasts } from "./useToasts";

/** Why a page cannot be fetched again now; if it was a moment ago, when it can be. */
export function fetchAgainProblem(error: unknown): string {
  const pause = error instanceof ApiError && error.status === 429 ? Number(error.extras.retry_after) : Number.NaN;
  return pause > 0 ? texts.fetching.tooSoon(pause) : texts.fetching.failed(messageOf(error));
}

interface FetchedMedia {
  data: Ref<Media | undefined>;
  dataUpdatedAt: Ref<number>;
  refetch: () => Promise<unknown>;
}

/** Fetches the page of a media once more, and says how that ended. `hasNewText`: the reader offers it, which says enough. */
export function useFetchAgain(media: FetchedMedia, itemId: Ref<string | null>, hasNewText: Ref<boolean>) {
  const client = useQueryClient();
  const { refresh } = useLibraryUpdates();
  const { show } = useToasts();
  /** The server has accepted to fetch it again, and has not yet said how that ended. */
  const isAwaited = ref(false);

  async function showResult(): Promise<void> {
    if (hasNewText.value || itemId.value === null) return;
    try {
      const receipt = await client.fetchQuery({
        queryKey: ["receipt", itemId.value],
        queryFn: () => fetchReceipt(itemId.value as string),
        staleTime: 0, // one from before the end says nothing about it
      });
      show(receipt.status_detail ?? texts.fetching.ended);
    } catch (error) {
      show(`${texts.fetching.ended} ${messageOf(error)}`);
    }
  }

  const request = useMutation({
    mutationFn: () => fetchAgain(media.data.value?.id ?? ""),
    onSuccess: ({ data }) => {
      isAwaited.value = data.processing_status === "ready_for_reading";
      show(isAwaited.value ? texts.fetching.started : texts.fetching.queued);
      refresh();
      void media.refetch(); // also cancels a request from before, whose response would say that nothing is fetched
    },
    onError: (error) => show(fetchAgainProblem(error), { tone: "bad" }),
  });
  // Each response counts, not only a changed one: it may be over before it is first seen under way.
  watch([media.data, media.dataUpdatedAt], () => {
    if (media.data.value?.fetching_again) {
      isAwaited.value = true;
    } else if (isAwaited.value) {
      isAwaited.value = false;
      void showResult();
    }
  });
  const canFetch = computed(() => media.data.value?.kind === "web_article" && itemId.value !== null);
  const isUnderWay = computed(
    () => request.isPending.value || isAwaited.value || media.data.value?.fetching_again === true,
  );
  return { canFetch, isUnderWay, start: () => request.mutate() };
}
