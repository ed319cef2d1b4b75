import { computed, ref, shallowRef } from "vue";
import { storedValue } from "@/device/stored-value";
import type { Track } from "./track";

export const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2];
const speedStorage = storedValue("nexus.speed", 1);
const storedSpeed = speedStorage.read();

/** What the player plays, for all pages of this window. */
export const track = shallowRef<Track | null>(null);
/** The title that the user gave it. */
export const ownTitle = ref<string | null>(null);
export const title = computed(() => ownTitle.value || track.value?.title || "");
export const isPlaying = ref(false);
/** Played, or moved, by the user: then it stays in the player when its page is left. */
export const isUsed = ref(false);
/** The media that was played to its end last; another object each time. */
export const ended = shallowRef<{ mediaId: string } | null>(null);
/** Why it cannot be played. */
export const problem = ref("");
/** Where it is, and where it ends: seconds, or sentences of a text that is read aloud. */
export const at = ref(0);
export const length = ref(0);
export const speed = ref(SPEEDS.includes(storedSpeed) ? storedSpeed : 1);

export function storeSpeed(chosen: number): void {
  speed.value = chosen;
  speedStorage.write(chosen);
}

/** What plays one kind of track. */
export interface Engine {
  load: () => void;
  play: () => void;
  pause: () => void;
  seek: (to: number) => void;
  /** By the small step: 15 seconds back or 30 on, or a sentence. */
  skip: (direction: 1 | -1) => void;
  applySpeed: () => void;
  /** Try again after a problem. */
  retry: () => void;
  /** Another device was elsewhere since, and this one has stored where. */
  goToStored: () => void;
  unload: () => void;
}
