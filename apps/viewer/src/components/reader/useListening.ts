import { computed } from "vue";
import { keptPlaces } from "@/composables/places";
import { useSession } from "@/composables/useSession";

interface Place {
  /** Where to play on; 0 once the end was heard. */
  second: number;
  duration: number;
  at: number;
}

const places = keptPlaces<Place>("nexus.listening", 1000);
/** Whoever stops this close to the end has heard it all. */
const END = { seconds: 10, share: 0.02 };

/** Where the user stopped listening to an episode, in this browser. */
export function useListening(mediaId: string) {
  const { me } = useSession();
  const user = computed(() => me.value?.user_id ?? null);
  const place = computed(() => (user.value ? places.get(user.value, mediaId) : undefined));
  function remember(second: number, duration: number): void {
    if (!user.value) return;
    const isOver = duration > 0 && second >= duration - Math.min(END.seconds, duration * END.share);
    places.set(user.value, mediaId, { second: isOver ? 0 : Math.floor(second), duration, at: Date.now() });
  }
  return { user, place, remember };
}
