import { shallowReactive } from "vue";
import { stored } from "./stored";

interface Place {
  /** Share of the text above the lower edge of the window, 0 to 1. */
  share: number;
  at: number;
}

const KEPT = 2000;
const storage = stored<Record<string, Place>>("nexus.places", {});
const places = shallowReactive(new Map(Object.entries(storage.read())));

function remember(mediaId: string, share: number): void {
  places.set(mediaId, { share: Math.round(share * 10000) / 10000, at: Date.now() });
  if (places.size > KEPT) {
    const oldest = [...places].sort(([, a], [, b]) => a.at - b.at).slice(0, places.size - KEPT);
    for (const [id] of oldest) places.delete(id);
  }
  storage.write(Object.fromEntries(places));
}

/** How far each text was read, in this browser. */
export function useProgress() {
  return { shareOf: (mediaId: string) => places.get(mediaId)?.share ?? 0, remember };
}
