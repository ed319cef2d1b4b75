import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { speechEngine } from "../../src/player/speech-engine";
import { at, ended, isPlaying, length, problem, speed, track } from "../../src/player/state";
import type { Track } from "../../src/player/track";

interface Utterance {
  text: string;
  lang: string;
  rate: number;
  onend: () => void;
  onerror: (event: { error: string }) => void;
}
let spoken: Utterance[];
let cancel: ReturnType<typeof vi.fn>;

const text = (lang: string | null, ...sentences: string[]) =>
  ({
    kind: "speech",
    mediaId: "m1",
    lang,
    sentences: sentences.map((sentence) => ({ text: sentence })),
    paragraphs: [],
    start: null,
  }) as unknown as Track;
const said = () => spoken.map((one) => one.text);
const last = () => spoken.at(-1) as Utterance;

async function play(...sentences: string[]): Promise<void> {
  track.value = text("fr", ...sentences);
  speechEngine.load();
  speechEngine.play();
  await vi.waitFor(() => expect(spoken).toHaveLength(1));
}

beforeEach(() => {
  spoken = [];
  cancel = vi.fn();
  const speak = (utterance: Utterance) => spoken.push(utterance);
  vi.stubGlobal("speechSynthesis", { getVoices: () => [{ lang: "fr-FR" }], cancel, speak });
  vi.stubGlobal(
    "SpeechSynthesisUtterance",
    class {
      constructor(readonly text: string) {}
    },
  );
});
afterEach(() => {
  speechEngine.unload();
  track.value = null;
  problem.value = "";
  [at.value, speed.value, isPlaying.value] = [0, 1, false];
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

test("sentences are spoken one after the other, and the end is told", async () => {
  await play("Un.", "Deux.");
  expect([length.value, at.value, isPlaying.value, last().lang]).toEqual([2, 0, true, "fr-FR"]);
  last().onend();
  expect([said(), at.value]).toEqual([["Un.", "Deux."], 1]);
  last().onend();
  expect([at.value, isPlaying.value, ended.value?.mediaId]).toEqual([0, false, "m1"]);
});

test("a long sentence is spoken in parts, and counts as one", async () => {
  const half = "mot ".repeat(40).trim();
  await play(`${half}, ${half}.`, "Fin.");
  last().onend();
  expect([said(), at.value]).toEqual([[`${half},`, `${half}.`], 0]);
  last().onend();
  expect([said().at(-1), at.value]).toEqual(["Fin.", 1]);
});

test("after a pause the sentence begins again, and the end of what was cut off moves nothing", async () => {
  await play("Un.", "Deux.");
  const cut = last();
  speechEngine.pause();
  expect(isPlaying.value).toBe(false);
  cut.onend();
  cut.onerror({ error: "interrupted" });
  expect([at.value, problem.value]).toEqual([0, ""]);
  speechEngine.play();
  await vi.waitFor(() => expect(said()).toEqual(["Un.", "Un."]));
});

test("what is gone to is spoken at once while it plays, within the text", async () => {
  await play("Un.", "Deux.", "Trois.");
  speechEngine.skip(1);
  await vi.waitFor(() => expect(said()).toEqual(["Un.", "Deux."]));
  speechEngine.seek(99);
  await vi.waitFor(() => expect(said().at(-1)).toBe("Trois."));
  speechEngine.pause();
  speechEngine.seek(-5);
  expect([at.value, spoken.length]).toEqual([0, 3]);
});

test("another speed is heard from the sentence that is being spoken", async () => {
  await play("Un.");
  speed.value = 1.5;
  speechEngine.applySpeed();
  await vi.waitFor(() => expect(spoken.map(({ rate }) => rate)).toEqual([1, 1.5]));
});

test("a voice that breaks off is a problem, until it is tried again", async () => {
  await play("Un.");
  last().onerror({ error: "synthesis-failed" });
  expect(isPlaying.value).toBe(false);
  expect(problem.value).not.toBe("");
  speechEngine.retry();
  await vi.waitFor(() => expect(said()).toEqual(["Un.", "Un."]));
  expect(problem.value).toBe("");
});

test("a page that is left is silent", async () => {
  await play("Un.", "Deux.");
  cancel.mockClear();
  window.dispatchEvent(new Event("pagehide"));
  // More than once where other test files imported the module anew: all of them share this window.
  expect(cancel).toHaveBeenCalled();
  last().onend();
  expect(said()).toEqual(["Un."]);
});
