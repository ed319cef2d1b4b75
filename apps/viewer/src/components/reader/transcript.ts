import type { Audio, Media } from "@/api/types";
import { countBefore } from "@/binary-search";

interface Cue {
  id: string;
  speaker: string | null;
  html: string;
  start: number | null;
  end: number | null;
}

/** Cues that follow each other with the same speaker. */
interface Turn {
  speaker: string | null;
  start: number | null;
  cues: Cue[];
}

interface Fragment {
  id: string;
  html_sanitized: string;
  start_ms: number | null;
  end_ms: number | null;
}

const SPEAKER = /^(\s*<p>\s*)?(?:<strong>([^<]{1,80}):<\/strong>|<cite>([^<]{1,80})<\/cite>\s*:?)\s*/;

function cueOf(fragment: Fragment): Cue {
  const named = fragment.html_sanitized.match(SPEAKER);
  const name = named?.[2] ?? named?.[3];
  const decoded = name ? (new DOMParser().parseFromString(name, "text/html").body.textContent ?? "") : "";
  return {
    id: fragment.id,
    speaker: decoded.trim().replace(/:$/, "") || null,
    html: named ? fragment.html_sanitized.replace(SPEAKER, named[1] ?? "") : fragment.html_sanitized,
    start: fragment.start_ms === null ? null : fragment.start_ms / 1000,
    end: fragment.end_ms === null ? null : fragment.end_ms / 1000,
  };
}

const PAUSE_S = 30;

export function turnsOf(fragments: Fragment[]): Turn[] {
  const turns: Turn[] = [];
  for (const cue of fragments.map(cueOf)) {
    const turn = turns.at(-1);
    const isSame = turn && (cue.speaker === null || cue.speaker === turn.speaker);
    // Without speakers: a new paragraph every half minute.
    const isLong = turn?.speaker === null && (cue.start ?? 0) - (turn.start ?? 0) > PAUSE_S;
    if (turn && isSame && !isLong) turn.cues.push(cue);
    else turns.push({ speaker: cue.speaker, start: cue.start, cues: [cue] });
  }
  return turns;
}

/** Show notes come last and have no times; a transcript without any times has no notes apart. */
export function withoutNotes<Part extends { start_ms: number | null }>(parts: Part[]): [Part[], Part[]] {
  const timed = parts.filter((part) => part.start_ms !== null);
  return timed.length === 0 ? [parts, []] : [timed, parts.filter((part) => part.start_ms === null)];
}

/** The cue, or the chapter, of that second: the last one that has begun. */
export function begunAt<Part extends { start: number | null }>(parts: Part[], second: number): Part | null {
  const begun = countBefore(parts, ({ start }) => (start ?? Number.POSITIVE_INFINITY) <= second);
  return parts[begun - 1] ?? null;
}

/** What a player loads. Texts that an earlier version kept in the browser say only where the publisher has it. */
export function audioOf({ audio, audio_url }: Pick<Media, "audio" | "audio_url">): Audio | null {
  if (audio?.kept) return audio;
  const url = audio?.url ?? audio_url ?? "";
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? { kept: false, url, host: new URL(url).hostname } : null;
}
