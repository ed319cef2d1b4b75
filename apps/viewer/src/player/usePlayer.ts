import { computed, shallowRef, watch } from "vue";
import { ApiError } from "@/api/errors";
import { fetchMedia } from "@/api/library";
import { fetchPosition, type ServerPosition } from "@/api/positions";
import { audioEngine } from "./audio-engine";
import { audioPositions } from "./audio-positions";
import { sleepTimer } from "./sleep-timer";
import { speechEngine } from "./speech-engine";
import {
  at,
  type Engine,
  ended,
  isPlaying,
  isUsed,
  length,
  problem,
  SPEEDS,
  speed,
  storeSpeed,
  title,
  track,
} from "./state";
import type { Track } from "./track";

/** The page that shows what is playing, and scrolls along with it. */
interface Follower {
  mediaId: string;
  isFollowing: () => boolean;
  setFollowing: (follows: boolean) => void;
}
/** In the bar that every page has while something is in the player. */
export const playButton = () => document.querySelector<HTMLElement>(".player .play");
const follower = shallowRef<Follower | null>(null);

const ENGINES = { audio: audioEngine, speech: speechEngine };
const engine = (): Engine | null => (track.value ? ENGINES[track.value.kind] : null);
/** Where its chapters, or its paragraphs, begin. */
const partStarts = computed(() => {
  if (track.value?.kind === "speech") return track.value.paragraphs;
  return track.value?.chapters.map(({ start_ms }) => start_ms / 1000) ?? [];
});
/** Further into a part than this, jumping back leads to its own beginning, not to the part before. */
const RESTART_AFTER_SECONDS = 3;
const BATCH_MS = 300;
const endOfPart = () => partStarts.value.find((start) => start > at.value) ?? (length.value || null);
const pause = () => engine()?.pause();
const sleep = sleepTimer(pause, () => at.value, endOfPart);
watch(ended, sleep.finish);

function close(): void {
  engine()?.unload();
  sleep.set(null);
  track.value = null;
  isPlaying.value = false;
  isUsed.value = false;
  problem.value = "";
  [at.value, length.value] = [0, 0];
}
/** Ready to be played; what was there before is stopped. */
function load(next: Track): void {
  const isSame = track.value?.mediaId === next.mediaId && track.value.kind === next.kind;
  if (isSame && (isUsed.value || next.start === null)) return;
  close();
  track.value = next;
  engine()?.load();
}
/** The page of a track was opened: it takes the player unless that is used for something else. */
function offer(next: Track): void {
  if (!track.value || !isUsed.value) load(next);
}
/** The page of a track was left: what was never played goes with it. */
function leave(mediaId: string): void {
  if (track.value?.mediaId === mediaId && !isUsed.value) close();
}
function playFrom(next: Track, from: number): void {
  load(next);
  engine()?.seek(from);
  engine()?.play();
}
/** At once: browsers let only a click begin to play. Where another device is since is gone to when it is known. */
function play(): void {
  void catchUp();
  engine()?.play();
}
function toggle(): void {
  if (isPlaying.value) pause();
  else play();
}
/** To the beginning of the next part, or of this one; of the one before when it has only begun. */
function jump(direction: 1 | -1): void {
  const restartAfter = track.value?.kind === "audio" ? RESTART_AFTER_SECONDS : 0;
  const before = partStarts.value.filter((start) => start < at.value - restartAfter).at(-1) ?? 0;
  const target = direction > 0 ? partStarts.value.find((start) => start > at.value) : before;
  if (target !== undefined) engine()?.seek(target);
}
function setSpeed(chosen: number): void {
  storeSpeed(chosen);
  engine()?.applySpeed();
}
function changeSpeed(direction: 1 | -1): void {
  const next = SPEEDS[SPEEDS.indexOf(speed.value) + direction];
  if (next !== undefined) setSpeed(next);
}
/** Not while it plays, nor away from a search result that was opened. */
const mayMove = () => !isPlaying.value && (isUsed.value || track.value?.start === null);
/** What the server says of where the user was. */
function adopt(held: ServerPosition, moves = mayMove()): void {
  if (audioPositions.adopt(held) && moves && track.value?.mediaId === held.media_id) engine()?.goToStored();
}
/** Another device may be elsewhere since: without a connection, or while the computer slept, no event came. */
async function catchUp(): Promise<void> {
  const mediaId = track.value?.mediaId;
  if (!mediaId || track.value?.kind !== "audio" || !mayMove()) return;
  const held = await fetchPosition(mediaId).catch(() => null); // without a connection it goes on where it was here
  if (held) adopt(held, true);
}
/** It is in the library no longer. */
function remove(mediaId: string): void {
  if (track.value?.mediaId === mediaId) close();
}
let checking = 0;
/** After something was removed, here or elsewhere, it may be this. Many are removed together; they cost one request. */
function check(): void {
  if (!track.value || checking) return;
  checking = window.setTimeout(checkNow, BATCH_MS);
}
async function checkNow(): Promise<void> {
  checking = 0;
  const mediaId = track.value?.mediaId;
  if (!mediaId) return;
  const error: unknown = await fetchMedia(mediaId).catch((problem) => problem);
  if (error instanceof ApiError && error.status === 404) remove(mediaId);
}

export function usePlayer() {
  return {
    track,
    title,
    isPlaying,
    isUsed,
    ended,
    remove,
    check,
    problem,
    at,
    length,
    speed,
    follower,
    sleep,
    partStarts,
    load,
    offer,
    leave,
    close,
    playFrom,
    toggle,
    jump,
    setSpeed,
    changeSpeed,
    adopt,
    catchUp,
    pause,
    play,
    seek: (to: number) => engine()?.seek(to),
    skip: (direction: 1 | -1) => engine()?.skip(direction),
    retry: () => engine()?.retry(),
  };
}
