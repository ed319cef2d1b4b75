import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { speechEngine } from "../../src/player/speech-engine";
import { isPlaying, problem, track } from "../../src/player/state";
import type { Track } from "../../src/player/track";

const text = (lang: string) =>
  ({ kind: "speech", mediaId: "m1", lang, sentences: [], paragraphs: [] }) as unknown as Track;

beforeEach(() => {
  vi.stubGlobal("speechSynthesis", { getVoices: () => [{ lang: "fr-FR" }], cancel: () => {}, speak: () => {} });
});
afterEach(() => {
  track.value = null;
  problem.value = "";
  vi.unstubAllGlobals();
});

test.each([
  ["de_DE", "German"],
  ["en-u-ca-buddhist", "English"],
])("a browser without a voice for %s says so", async (lang, name) => {
  track.value = text(lang);
  speechEngine.play();
  await vi.waitFor(() => expect(problem.value).toContain(name));
  expect(isPlaying.value).toBe(false);
});
