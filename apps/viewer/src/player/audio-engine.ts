import * as texts from "@/texts";
import { listening } from "./listening";
import { at, type Engine, ended, isPlaying, isUsed, length, problem, speed, track } from "./state";
import type { AudioTrack } from "./track";

const KEEP_EVERY_S = 5;
const TELL_EVERY_MS = 15_000;
const SKIP = { back: 15, forward: 30 };

/** In the page as long as there is a player: browsers pause what is taken out of it. */
export const audioElement = document.createElement("audio");
const audio = (): AudioTrack | null => (track.value?.kind === "audio" ? track.value : null);
/** The seconds that were kept last, here and on the server; null: to be kept in any case. */
let kept: number | null = 0;
let told: number | null = 0;
let toldAt = 0;

/** Only what is new: a player that was not touched must not overwrite where another device is since. */
function keep(isTold = true): void {
  const playing = audio();
  const second = Math.floor(at.value);
  if (!playing || !isUsed.value || second === (isTold ? told : kept)) return;
  kept = second;
  if (isTold) [told, toldAt] = [second, Date.now()];
  listening.remember(playing.mediaId, at.value, length.value, isTold);
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
  kept = told = Math.floor(second);
}

function restore(): void {
  const playing = audio();
  const known = playing && (playing.start ?? listening.of(playing.mediaId)?.second);
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
  kept = told = null; // the user wants to be there now, wherever that was
  keep();
}

function play(): void {
  isUsed.value = true;
  request();
  audioElement.play().catch(() => {}); // the error event says why
}

function unload(): void {
  keep();
  audioElement.pause();
  audioElement.removeAttribute("src");
  audioElement.load();
}

export const audioEngine: Engine = {
  load() {
    const playing = audio();
    if (!playing) return;
    audioElement.preload = playing.source.kept ? "metadata" : "none";
    length.value = listening.of(playing.mediaId)?.duration || playing.length;
    kept = told = 0;
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
    const known = track.value && listening.of(track.value.mediaId);
    if (known) show(known.second);
  },
  unload,
};

audioElement.addEventListener("timeupdate", () => {
  if (!audio()) return;
  at.value = audioElement.currentTime;
  if (Math.abs(at.value - (kept ?? 0)) >= KEEP_EVERY_S) keep(Date.now() - toldAt >= TELL_EVERY_MS);
});
audioElement.addEventListener("play", () => {
  isPlaying.value = audio() !== null;
});
audioElement.addEventListener("pause", () => {
  if (!audio()) return;
  isPlaying.value = false;
  keep();
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
window.addEventListener("pagehide", () => keep());
