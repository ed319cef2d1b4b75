import { computed } from "vue";
import type { ServerPosition } from "@/api/positions";
import { serverTime } from "@/api/server-clock";
import { storedPositions } from "@/device/stored-positions";
import { positionQueue } from "@/positions/position-queue";
import { useSession } from "./useSession";

/** A sentence: where it begins in the canonical text of a fragment, in code points. */
export interface Sentence {
  version: number;
  fragment: number;
  offset: number;
}

export interface Position {
  /** Share of the text above the lower edge of the window, 0 to 1. */
  share: number;
  /** By the server's clock, as far as it is known. */
  at: number;
  /** Missing in what earlier versions stored. */
  sentence?: Sentence;
}

const positions = storedPositions<Position>("nexus.places", 2000);

/** When this window was last in a text, by its media. */
const ownTimes = new Map<string, number>();

/** The text's part of what the server says; null when the user has not been in the text. */
export function textPositionOf(held: ServerPosition): Position | null {
  const { version, fragment_idx, offset, fraction, client_time } = held;
  if (version === null || fragment_idx === null || offset === null || fraction === null || !client_time) return null;
  return { share: fraction, at: Date.parse(client_time), sentence: { version, fragment: fragment_idx, offset } };
}

/** How far the user has read each text, as this browser knows it. The server is told, and later ones are adopted. */
export function useProgress() {
  const { me } = useSession();
  const user = computed(() => me.value?.user_id ?? null);
  const positionOf = (mediaId: string) => (user.value ? positions.get(user.value, mediaId) : undefined);
  const progressOf = (mediaId: string) => positionOf(mediaId)?.share ?? 0;

  function remember(mediaId: string, share: number, sentence?: Sentence | null): void {
    if (!user.value) return;
    const rounded = Math.round(share * 10000) / 10000;
    const now = Date.now();
    const at = serverTime(now);
    ownTimes.set(mediaId, at);
    positions.set(user.value, mediaId, { share: rounded, at, ...(sentence ? { sentence } : {}) });
    if (!sentence) return;
    const { version, fragment: fragment_idx, offset } = sentence;
    positionQueue.add(mediaId, "text", { version, fragment_idx, offset, fraction: rounded }, now);
  }
  /** From another device. Also our own, with the time that the server gave it. */
  function adopt(held: ServerPosition): void {
    const found = textPositionOf(held);
    const known = positionOf(held.media_id);
    if (!user.value || !found) return;
    const isOurs = known?.sentence && isSameSentence(known.sentence, found.sentence);
    if (isOurs && ownTimes.has(held.media_id)) ownTimes.set(held.media_id, found.at);
    if (!known || found.at > known.at || isOurs) positions.set(user.value, held.media_id, found);
  }
  const ownTimeOf = (mediaId: string) => ownTimes.get(mediaId) ?? 0;
  return { user, positionOf, progressOf, ownTimeOf, remember, adopt };
}

export function isSameSentence(one: Sentence | null | undefined, other: Sentence | null | undefined): boolean {
  return one?.version === other?.version && one?.fragment === other?.fragment && one?.offset === other?.offset;
}
