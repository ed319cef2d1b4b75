import type { Audio, Chapter, Media } from "@/api/types";
import type { Spoken } from "./spoken-text";

interface About {
  mediaId: string;
  title: string;
  /** The show, or the site. */
  from: string | null;
}

export interface AudioTrack extends About {
  kind: "audio";
  source: Audio;
  chapters: Chapter[];
  /** The duration in seconds, as far as it is known before the audio is loaded. */
  length: number;
  /** Where to begin instead of where the user was: a search result. */
  start: number | null;
}

/** A text that is read aloud. */
export interface SpeechTrack extends About {
  kind: "speech";
  lang: string | null;
  version: number;
  sentences: Spoken[];
  /** The numbers of the sentences that begin a paragraph. */
  paragraphs: number[];
  /** The number of the sentence to begin with. */
  start: number | null;
}

export type Track = AudioTrack | SpeechTrack;

export const aboutOf = ({ id, title, site_name }: Media): About => ({
  mediaId: id,
  title: title ?? "",
  from: site_name,
});
