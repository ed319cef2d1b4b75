import { afterEach, expect, test } from "vitest";
import { nextTick } from "vue";
import type { Fragment, Media } from "../../src/api/types";
import TranscriptView from "../../src/components/reader/TranscriptView.vue";
import { at, track } from "../../src/player/state";
import type { Track } from "../../src/player/track";
import { usePlayer } from "../../src/player/usePlayer";
import { render } from "./render";

const media = {
  id: "m1",
  kind: "podcast_episode",
  title: "Without audio",
  capabilities: { can_read: true, can_play: false },
  chapters: [
    { title: "One", start_ms: 0 },
    { title: "Two", start_ms: 4000 },
  ],
  audio: null,
} as unknown as Media;
const fragments = [0, 4000].map((start_ms, idx) => ({
  id: `f${idx}`,
  idx,
  html_sanitized: `<p>Line ${idx}.</p>`,
  canonical_text: `Line ${idx}.`,
  start_ms,
  end_ms: start_ms + 4000,
})) as unknown as Fragment[];
const player = usePlayer();
let unmount = () => {};

afterEach(() => {
  unmount();
  [track.value, at.value, player.follower.value] = [null, 0, null];
});

test("while a transcript is read aloud, the number of the sentence is no second of it", async () => {
  const readAloud = { mediaId: "m1", isFollowing: () => true, setFollowing: () => {} };
  player.follower.value = readAloud;
  const shown = await render(TranscriptView, { media, fragments, found: null });
  unmount = shown.unmount;
  track.value = { kind: "speech", mediaId: "m1", sentences: [], paragraphs: [] } as unknown as Track;
  at.value = 5;
  await nextTick();
  expect(shown.root.querySelectorAll(".cue")).toHaveLength(2);
  expect(shown.root.querySelectorAll("[aria-current]")).toHaveLength(0);
  expect(player.follower.value).toBe(readAloud);
});
