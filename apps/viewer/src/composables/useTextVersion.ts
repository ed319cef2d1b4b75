import { useQuery } from "@tanstack/vue-query";
import { computed, type Ref, shallowRef, watch } from "vue";
import { fetchFragments, fetchMedia } from "@/api/library";
import type { Media } from "@/api/types";

/** One text: `id` too, because a merged media leads to another one, which counts its versions itself. */
interface TextVersion {
  id: string;
  version: number;
}

const FETCHING_MS = 5000;

export const textKey = (mediaId: string, version: number) => ["text", mediaId, version] as const;

const currentOf = (media: Media | undefined): TextVersion | null =>
  media?.capabilities.can_read && media.version !== null ? { id: media.id, version: media.version } : null;

/**
 * The media and the text of it that is shown: the version that the address asks for, else the one that was current when
 * it was opened. A newer one never takes its place by itself.
 */
export function useTextVersion(mediaId: string, requested: Ref<number | null>) {
  const media = useQuery({
    queryKey: ["media", mediaId],
    queryFn: () => fetchMedia(mediaId),
    // Events say so too; an event may be lost.
    refetchInterval: ({ state }) => (state.data?.fetching_again ? FETCHING_MS : false),
  });
  const current = computed(() => currentOf(media.data.value));
  const opened = shallowRef<TextVersion | null>(null);
  watch(
    current,
    (found) => {
      if (found && (!opened.value || requested.value !== null)) opened.value = found;
    },
    { immediate: true },
  );
  const isEarlier = computed(() => requested.value !== null && requested.value !== current.value?.version);
  const shown = computed<TextVersion | null>(() => {
    if (!current.value || !isEarlier.value || requested.value === null) return opened.value;
    return { id: current.value.id, version: requested.value };
  });
  const isOutdated = computed(
    () =>
      !isEarlier.value &&
      opened.value !== null &&
      current.value !== null &&
      (opened.value.version !== current.value.version || opened.value.id !== current.value.id),
  );
  /** Without a number for the current one: under that address it is kept for reading offline. */
  const fetchText = ({ id, version }: TextVersion) =>
    fetchFragments(id, id === current.value?.id && version === current.value.version ? null : version);
  const fragments = useTextOf(shown, fetchText);
  // Fetched at once: it is there when it is asked for, and in this browser when the connection is lost.
  useTextOf(
    computed(() => (isOutdated.value ? current.value : null)),
    fetchText,
  );
  function showNew(): void {
    opened.value = current.value;
  }
  return { media, fragments, current, shown, isEarlier, isOutdated, showNew };
}

function useTextOf(text: Ref<TextVersion | null>, fetchText: (text: TextVersion) => ReturnType<typeof fetchFragments>) {
  return useQuery({
    queryKey: computed(() => (text.value ? textKey(text.value.id, text.value.version) : ["text"])),
    queryFn: () => fetchText(text.value as TextVersion),
    enabled: () => text.value !== null,
    staleTime: Number.POSITIVE_INFINITY, // a version never changes
  });
}
