import { languageOr } from "@/positions/sentences";
import * as texts from "@/texts";
import { utterancesOf } from "./spoken-text";
import { at, type Engine, ended, isPlaying, isUsed, length, problem, speed, track } from "./state";
import type { SpeechTrack } from "./track";
import { loadVoices, voiceFor } from "./voices";

/** The number of the current run: events of utterances of earlier runs are ignored. */
let run = 0;
/** Browsers forget an utterance that nobody holds, and its events with it. */
const held = new Set<SpeechSynthesisUtterance>();

const speech = (): SpeechTrack | null => (track.value?.kind === "speech" ? track.value : null);

function silence(): void {
  run += 1;
  held.clear();
  if ("speechSynthesis" in window) window.speechSynthesis.cancel();
}

function languageName(lang: string): string {
  const { baseName } = new Intl.Locale(languageOr(lang));
  return new Intl.DisplayNames([texts.locale], { type: "language" }).of(baseName) ?? lang;
}

function fail(sentence: string): void {
  silence();
  isPlaying.value = false;
  problem.value = sentence;
}

async function play(): Promise<void> {
  const playing = speech();
  if (!playing) return;
  silence();
  const own = run;
  problem.value = "";
  isUsed.value = true;
  isPlaying.value = true;
  const voices = await loadVoices();
  if (own !== run) return;
  const voice = voiceFor(voices, playing.lang);
  if (voices.length === 0) fail(texts.player.noVoice);
  else if (!voice) fail(texts.player.noVoiceFor(languageName(playing.lang ?? "")));
  else speak(playing, voice, own);
}

function speak(playing: SpeechTrack, voice: SpeechSynthesisVoice, own: number): void {
  const sentence = playing.sentences[at.value];
  if (!sentence) {
    finish(playing);
    return;
  }
  const parts = utterancesOf(sentence.text);
  const next = (): void => {
    const part = parts.shift();
    if (own !== run) return;
    if (part !== undefined) {
      utter(part, voice, next);
    } else {
      at.value += 1;
      speak(playing, voice, own);
    }
  };
  next();
}

function utter(part: string, voice: SpeechSynthesisVoice, next: () => void): void {
  const utterance = new SpeechSynthesisUtterance(part);
  const own = run;
  held.add(utterance);
  utterance.voice = voice;
  utterance.lang = voice.lang;
  utterance.rate = speed.value;
  utterance.onend = () => {
    held.delete(utterance);
    next();
  };
  utterance.onerror = ({ error }) => {
    if (own === run && error !== "interrupted" && error !== "canceled") fail(texts.player.speechFailed);
  };
  window.speechSynthesis.speak(utterance);
}

function finish(playing: SpeechTrack): void {
  silence();
  isPlaying.value = false;
  at.value = 0;
  ended.value = { mediaId: playing.mediaId };
}

function seek(to: number): void {
  isUsed.value = true;
  at.value = Math.min(Math.max(0, Math.round(to)), Math.max(0, length.value - 1));
  if (isPlaying.value) void play();
}

/** Reads a text aloud, sentence by sentence: `at` is the number of the sentence. */
export const speechEngine: Engine = {
  load() {
    length.value = speech()?.sentences.length ?? 0;
    at.value = speech()?.start ?? 0;
  },
  play: () => void play(),
  /** Not the browser's own pause, which Android does not resume: the sentence starts again. */
  pause() {
    silence();
    isPlaying.value = false;
  },
  seek,
  skip: (direction) => seek(at.value + direction),
  applySpeed: () => {
    if (isPlaying.value) void play();
  },
  retry: () => void play(),
  goToStored: () => {},
  unload: silence,
};

// A browser goes on speaking after its page is gone.
window.addEventListener("pagehide", silence);
