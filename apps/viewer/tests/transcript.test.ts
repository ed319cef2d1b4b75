import { expect, test } from "vitest";
import { audioOf, begunAt, turnsOf, withoutNotes } from "../src/components/reader/transcript";

const fragment = (id: string, html: string, start: number | null) => ({
  id,
  html_sanitized: html,
  start_ms: start,
  end_ms: start === null ? null : start + 1000,
});

test("cues of one speaker are one turn", () => {
  const turns = turnsOf([
    fragment("a", "<p><strong>Ann &amp; Co:</strong> Hello.</p>", 0),
    fragment("b", "<p><cite>Ann &amp; Co:</cite> Again.</p>", 1000),
    fragment("c", "<p><cite>Ben</cite>: Hi.</p>", 2000),
  ]);
  expect(turns.map((turn) => [turn.speaker, turn.cues.length])).toEqual([
    ["Ann & Co", 2],
    ["Ben", 1],
  ]);
  expect(turns[0]?.cues[0]?.html).toBe("<p>Hello.</p>");
  expect(turns[1]?.cues[0]?.html).toBe("<p>Hi.</p>");
});

test("without speakers a new paragraph begins every half minute", () => {
  const cues = Array.from({ length: 8 }, (_, index) => fragment(String(index), "<p>x</p>", index * 10_000));
  expect(turnsOf(cues).map((turn) => turn.cues.length)).toEqual([4, 4]);
});

test("the cue being spoken is the last that has begun", () => {
  const cues = turnsOf([fragment("a", "x", 0), fragment("b", "x", 5000)]).flatMap((turn) => turn.cues);
  expect([begunAt(cues, 4.9)?.id, begunAt(cues, 5)?.id, begunAt(cues, 99)?.id, begunAt([], 1)]).toEqual([
    "a",
    "b",
    "b",
    null,
  ]);
});

test("a bold word is no speaker, and notes have no times", () => {
  expect(turnsOf([fragment("a", "<p><strong>Never</strong> again.</p>", 0)])[0]?.speaker).toBeNull();
  const [timed, notes] = [fragment("a", "x", 0), fragment("n", "y", null)];
  expect(withoutNotes([timed, notes])).toEqual([[timed], [notes]]);
  expect(withoutNotes([notes])).toEqual([[notes], []]);
});

test("kept audio plays from the server, other audio from its publisher", () => {
  const kept = { kept: true, url: "/media/1/audio", host: null };
  expect(audioOf({ audio: kept, audio_url: "https://a.example/1.mp3" })).toEqual(kept);
  const there = { kept: false, url: "https://a.example/1.mp3", host: "a.example" };
  expect(audioOf({ audio: there, audio_url: there.url })).toEqual(there);
  expect(audioOf({ audio_url: there.url })).toEqual(there);
  for (const url of ["javascript:alert(1)", "https://", "", null]) expect(audioOf({ audio_url: url })).toBeNull();
  expect(audioOf({ audio: null })).toBeNull();
});
