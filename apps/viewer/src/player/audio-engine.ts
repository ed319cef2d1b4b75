import * as texts from "@/texts";
import { audioPositions } from "./audio-positions";
import { at, type Engine, ended, isPlaying, isUsed, length, problem, speed, track } from "./state";
import type { AudioTrack } from "./track";

const STORE_EVERY_S = 5;
const SEND_EVERY_MS = 15_000;
const SKIP = { back: 15, forward: 30 };

/** In the page as long as there is a player: browsers pause what is taken out of it. */
export const audioElement = document.createElement("audio");
const audio = (): AudioTrack | null => (track.value?.kind === "audio" ? track.value : null);
/** The seconds that were stored last, here and on the server; null: to be stored in any case. */
let storedSecond: number | null = 0;
let sentSecond: number | null = 0;
let sentAt = 0;

/** Only what is new: a player that was not touched must not overwrite where another device is since. */
function store(isSent = true): void {
  const playing = audio();
  const second = Math.floor(at.value);
  if (!playing || !isUsed.value || second === (isSent ? sentSecond : storedSecond)) return;
  storedSecond = second;
  if (isSent) [sentSecond, sentAt] = [second, Date.now()];
  audioPositions.remember(playing.mediaId, at.value, length.value, isSent);
}

/** Audio that is not kept here has no address before it is played: the publisher must not learn who opens the page. */
function request(): void {
  const playing = audio();
  if (audioElement.hasAttribute("src") || !playing) return;
  audioElement.src = playing.source.url;
  applySpeed();
  audioElement.currentTime = at.value;
}

/** Before the audio is loaded, only where it will start. */
function show(second: number): void {
  audioElement.currentTime = second;
  at.value = second;
  storedSecond = sentSecond = Math.floor(second);
}

function restore(): void {
  const playing = audio();
  const known = playing && (playing.start ?? audioPositions.of(playing.mediaId)?.second);
  if (known && !isUsed.value) show(known);
}

/** Both: loading sets the rate back to the default one. */
function applySpeed(): void {
  audioElement.defaultPlaybackRate = speed.value;
  audioElement.playbackRate = speed.value;
}

function seek(second: number): void {
  isUsed.value = true;
  show(Math.max(0, length.value ? Math.min(second, length.value) : second));
  storedSecond = sentSecond = null; // the user wants to be there now, wherever that was
  store();
}

function play(): void {
  isUsed.value = true;
  request();
  audioElement.play().catch(() => {}); // the error event says why
}

function unload(): void {
  store();
  audioElement.pause();
  audioElement.removeAttribute("src");
  audioElement.load();
}

export const audioEngine: Engine = {
  load() {
    const playing = audio();
    if (!playing) return;
    audioElement.preload = playing.source.kept ? "metadata" : "none";
    length.value = audioPositions.of(playing.mediaId)?.duration || playing.length;
    storedSecond = sentSecond = 0;
    if (playing.source.kept) request();
    restore();
  },
  play,
  pause: () => audioElement.pause(),
  seek,
  skip: (direction) => seek(at.value + (direction > 0 ? SKIP.forward : -SKIP.back)),
  applySpeed,
  retry() {
    problem.value = "";
    audioElement.load();
    play();
    audioElement.currentTime = at.value;
  },
  goToStored() {
    const known = track.value && audioPositions.of(track.value.mediaId);
    if (known) show(known.second);
  },
  unload,
};

audioElement.addEventListener("timeupdate", () => {
  if (!audio()) return;
  at.value = audioElement.currentTime;
  if (Math.abs(at.value - (storedSecond ?? 0)) >= STORE_EVERY_S) store(Date.now() - sentAt >= SEND_EVERY_MS);
});
audioElement.addEventListener("play", () => {
  isPlaying.value = audio() !== null;
});
audioElement.addEventListener("pause", () => {
  if (!audio()) return;
  isPlaying.value = false;
  store();
});
audioElement.addEventListener("ended", () => {
  const playing = audio();
  if (playing) ended.value = { mediaId: playing.mediaId };
});
audioElement.addEventListener("durationchange", () => {
  if (audio() && Number.isFinite(audioElement.duration)) length.value = audioElement.duration;
});
audioElement.addEventListener("canplay", () => {
  if (audio()) problem.value = "";
});
audioElement.addEventListener("error", () => {
  const playing = audio();
  if (playing) problem.value = playing.source.kept ? texts.transcript.brokenHere : texts.transcript.broken;
});
window.addEventListener("pagehide", () => store());
