import { computed } from "vue";
import { storedPositions } from "@/device/stored-positions";
import { useSession } from "./useSession";

interface Position {
  /** Share of the text above the lower edge of the window, 0 to 1. */
  share: number;
  at: number;
}

const positions = storedPositions<Position>("nexus.places", 2000);

/** How far the user has read each text, in this browser. */
export function useProgress() {
  const { me } = useSession();
  const user = computed(() => me.value?.user_id ?? null);
  function progressOf(mediaId: string): number {
    return user.value ? (positions.get(user.value, mediaId)?.share ?? 0) : 0;
  }
  function remember(mediaId: string, share: number): void {
    if (user.value) positions.set(user.value, mediaId, { share: Math.round(share * 10000) / 10000, at: Date.now() });
  }
  return { user, progressOf, remember };
}
