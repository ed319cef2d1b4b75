import { useQuery } from "@tanstack/vue-query";
import { computed } from "vue";
import { fetchEntry } from "@/api/library";
import { actionQueue } from "@/device/action-queue";

/** A media as it stands in the user's library, with what was decided here and is not sent yet; null: not known. */
export function useEntry(mediaId: () => string | null) {
  const query = useQuery({
    queryKey: computed(() => ["entry", mediaId()]),
    queryFn: async () => actionQueue.withPending([await fetchEntry(mediaId() as string)])[0] ?? null,
    enabled: () => mediaId() !== null,
  });
  return computed(() => query.data.value ?? null);
}
