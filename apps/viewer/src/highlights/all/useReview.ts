import { useMutation, useQuery, useQueryClient } from "@tanstack/vue-query";
import { computed } from "vue";
import { messageOf } from "@/api/errors";
import { fetchReview, type Highlight, markSeen, type Review } from "@/api/highlights";
import { useNow } from "@/composables/useNow";
import { useToasts } from "@/composables/useToasts";
import * as texts from "@/texts";
import { highlightQueue } from "../highlight-queue";
import { changed } from "../useHighlights";
import { REVIEW } from "./updates";

/** As the user's clock has it: "2026-11-16". */
export function dayOf(time: number): string {
  const date = new Date(time);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${date.getFullYear()}-${month}-${day}`;
}

/** Seeing a highlight again within this time is not counted by the server. */
const ONCE_MS = 12 * 3_600_000;

export function isSeen({ seen_at }: Pick<Highlight, "seen_at">, now: number): boolean {
  if (seen_at === null) return false;
  const time = Date.parse(seen_at);
  return now - time < ONCE_MS || dayOf(time) === dayOf(now);
}

/** The highlights of today's review; after midnight those of the next day. */
export function useReview() {
  const client = useQueryClient();
  const { show } = useToasts();
  const now = useNow();
  const day = computed(() => dayOf(now.value));
  const query = useQuery({ queryKey: computed(() => [REVIEW, day.value]), queryFn: () => fetchReview(day.value) });
  const highlights = computed(() => {
    void changed.value;
    return highlightQueue.withPendingInEach(query.data.value?.highlights ?? []);
  });
  const { mutate } = useMutation({
    mutationFn: ({ id }: Highlight) => markSeen(id),
    onSuccess: ({ id, seen_at }) =>
      client.setQueryData<Review>(
        [REVIEW, day.value],
        (known) =>
          known && { ...known, highlights: known.highlights.map((one) => (one.id === id ? { ...one, seen_at } : one)) },
      ),
    onError: (error) => show(texts.highlightPages.review.failed(messageOf(error)), { tone: "bad" }),
  });
  return {
    query,
    highlights,
    see: (highlight: Highlight) => mutate(highlight),
    isSeen: (one: Highlight) => isSeen(one, now.value),
  };
}
