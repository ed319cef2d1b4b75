import { useMutation, useQueryClient } from "@tanstack/vue-query";
import { computed, type Ref, watch } from "vue";
import { ApiError, messageOf } from "@/api/errors";
import { fetchAgain, fetchReceipt } from "@/api/library";
import type { Media } from "@/api/types";
import { texts } from "@/texts";
import { useLibraryUpdates } from "./useLibrary";
import { useToasts } from "./useToasts";

/** Why a page cannot be fetched again now; if it was a moment ago, when it can be. */
export function fetchAgainProblem(error: unknown): string {
  const pause = error instanceof ApiError && error.status === 429 ? Number(error.extras.retry_after) : Number.NaN;
  return pause > 0 ? texts.fetching.tooSoon(pause) : texts.fetching.failed(messageOf(error));
}

interface FetchedMedia {
  data: Ref<Media | undefined>;
  refetch: () => Promise<{ data: Media | undefined }>;
}

/** Fetches the page of a media once more, and says how that ended. `hasNewText`: the reader offers it, which says enough. */
export function useFetchAgain(media: FetchedMedia, itemId: Ref<string | null>, hasNewText: Ref<boolean>) {
  const client = useQueryClient();
  const { refresh } = useLibraryUpdates();
  const { show } = useToasts();

  async function tellResult(): Promise<void> {
    if (hasNewText.value || itemId.value === null) return;
    try {
      const receipt = await client.fetchQuery({
        queryKey: ["receipt", itemId.value],
        queryFn: () => fetchReceipt(itemId.value as string),
      });
      show(receipt.status_detail ?? texts.fetching.ended);
    } catch (error) {
      show(`${texts.fetching.ended} ${messageOf(error)}`);
    }
  }

  const request = useMutation({
    mutationFn: () => fetchAgain(media.data.value?.id ?? ""),
    onSuccess: async ({ data }) => {
      const stays = data.processing_status === "ready_for_reading";
      show(stays ? texts.fetching.started : texts.fetching.queued);
      refresh();
      const { data: now } = await media.refetch();
      if (stays && now && !now.fetching_again) await tellResult(); // over before it was looked at
    },
    onError: (error) => show(fetchAgainProblem(error), { tone: "bad" }),
  });
  watch(
    () => media.data.value?.fetching_again,
    (isNow, was) => {
      if (was && !isNow) void tellResult();
    },
  );
  const canFetch = computed(() => media.data.value?.kind === "web_article" && itemId.value !== null);
  const isUnderWay = computed(() => request.isPending.value || media.data.value?.fetching_again === true);
  return { canFetch, isUnderWay, start: () => request.mutate() };
}
