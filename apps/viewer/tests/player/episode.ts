import type { AudioTrack } from "../../src/player/track";

export const EPISODE: AudioTrack = {
  mediaId: "m1",
  title: "Forty hours",
  from: null,
  kind: "audio",
  source: { kept: true, url: "/audio/m1", host: null },
  chapters: [],
  length: 1000,
  start: null,
};
