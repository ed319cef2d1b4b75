import type { Audio, Chapter, Media } from "@/api/types";

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

export type Track = AudioTrack;

export const aboutOf = ({ id, title, site_name }: Media): About => ({
  mediaId: id,
  title: title ?? "",
  from: site_name,
});
