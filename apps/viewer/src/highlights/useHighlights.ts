import { useQuery } from "@tanstack/vue-query";
import { computed, ref } from "vue";
import { fetchHighlights, type Highlight, type HighlightColor, NOW } from "@/api/highlights";
import { undoSeconds, useToasts } from "@/composables/useToasts";
import { newUuid } from "@/device/new-key";
import { storedValue } from "@/device/stored-value";
import * as texts from "@/texts";
import { highlightQueue } from "./highlight-queue";
import type { HighlightChange, VersionedPassage } from "./highlight-steps";

/** How often the queue has changed: what is shown is the server's answer with what waits in it. */
export const changed = ref(0);

const lastColor = storedValue<HighlightColor>("nexus.highlight-color", "yellow");

/** What the user does with highlights of any text. */
export function useHighlightChanges() {
  const { show } = useToasts();
  const change = (highlight: Highlight, one: HighlightChange) =>
    highlightQueue.add(highlight.media_id, highlight.id, one);

  function remove(highlight: Highlight): void {
    change(highlight, { part: "deleted", isDeleted: true });
    const undo = () => change(highlight, { part: "deleted", isDeleted: false, was: highlight });
    show(texts.highlights.deleted, { action: { label: texts.removal.undo, run: undo }, seconds: undoSeconds(1) });
  }

  return {
    remove,
    setColor: (highlight: Highlight, color: HighlightColor) => {
      lastColor.write(color);
      change(highlight, { part: "color", color });
    },
    setNote: (highlight: Highlight, note: string) => change(highlight, { part: "note", note: note.trim() || null }),
    setTags: (highlight: Highlight, tags: string[]) => change(highlight, { part: "tags", tags }),
    attach: (highlight: Highlight, passage: VersionedPassage) => change(highlight, { part: "place", place: passage }),
  };
}

/** The highlights of a text: shown at once when they are made or changed, sent when the server can be reached. */
export function useHighlights(mediaId: () => string | null) {
  const query = useQuery({
    queryKey: computed(() => ["highlights", mediaId()]),
    // What is shown already is not exchanged for what was kept before: a highlight that was just made would go.
    queryFn: ({ queryKey, client }) =>
      fetchHighlights(mediaId() as string, client.getQueryData(queryKey) === undefined ? {} : NOW),
    enabled: () => mediaId() !== null,
  });
  const highlights = computed(() => {
    void changed.value;
    const id = mediaId();
    return id === null ? [] : highlightQueue.withPending(id, query.data.value ?? []);
  });

  function make(passage: VersionedPassage, color: HighlightColor = lastColor.read()): string {
    const id = newUuid();
    lastColor.write(color);
    highlightQueue.add(mediaId() as string, id, { part: "made", place: passage, color, note: null, tags: [] });
    return id;
  }

  return { query, highlights, make, ...useHighlightChanges() };
}
