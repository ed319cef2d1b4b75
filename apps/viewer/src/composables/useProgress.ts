import { computed } from "vue";
import { keptPlaces } from "./places";
import { useSession } from "./useSession";

interface Place {
  /** Share of the text above the lower edge of the window, 0 to 1. */
  share: number;
  at: number;
}

const places = keptPlaces<Place>("nexus.places", 2000);

/** How far the user has read each text, in this browser. */
export function useProgress() {
  const { me } = useSession();
  const user = computed(() => me.value?.user_id ?? null);
  function shareOf(mediaId: string): number {
    return user.value ? (places.get(user.value, mediaId)?.share ?? 0) : 0;
  }
  function remember(mediaId: string, share: number): void {
    if (user.value) places.set(user.value, mediaId, { share: Math.round(share * 10000) / 10000, at: Date.now() });
  }
  return { user, shareOf, remember };
}
