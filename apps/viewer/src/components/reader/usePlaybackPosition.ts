import { computed } from "vue";
import { useSession } from "@/composables/useSession";
import { storedPositions } from "@/device/stored-positions";

interface Position {
  /** Where to resume; 0 after the end. */
  second: number;
  duration: number;
  at: number;
}

const positions = storedPositions<Position>("nexus.listening", 1000);
/** Stopped this close to the end, an episode counts as heard. */
const END = { seconds: 10, share: 0.02 };

/** Where the user stopped listening to an episode, in this browser. */
export function usePlaybackPosition(mediaId: string) {
  const { me } = useSession();
  const user = computed(() => me.value?.user_id ?? null);
  const position = computed(() => (user.value ? positions.get(user.value, mediaId) : undefined));
  function remember(second: number, duration: number): void {
    if (!user.value) return;
    const isOver = duration > 0 && second >= duration - Math.min(END.seconds, duration * END.share);
    positions.set(user.value, mediaId, { second: isOver ? 0 : Math.floor(second), duration, at: Date.now() });
  }
  return { user, position, remember };
}
