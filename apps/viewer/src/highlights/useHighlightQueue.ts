import { useQueryClient } from "@tanstack/vue-query";
import { onScopeDispose } from "vue";
import { messageOf } from "@/api/errors";
import type { Highlight } from "@/api/highlights";
import { useToasts } from "@/composables/useToasts";
import { deviceUser } from "@/device/user";
import { texts } from "@/texts";
import { highlightQueue } from "./highlight-queue";
import { changed } from "./useHighlights";

/** Sends what is done with highlights, and shows what is done elsewhere. Once, for the whole app. */
export function useHighlightQueue() {
  const client = useQueryClient();
  const { show } = useToasts();
  const keyOf = (mediaId: string) => ["highlights", mediaId];

  if (deviceUser.value) highlightQueue.setUser(deviceUser.value);
  onScopeDispose(highlightQueue.start());
  highlightQueue.whenChanged(() => {
    changed.value += 1;
  });
  // What the server has is shown as it is until its own answer comes.
  highlightQueue.whenSent((mediaId) => {
    client.setQueryData(
      keyOf(mediaId),
      (known: Highlight[] | undefined) => known && highlightQueue.over(mediaId, known),
    );
    onHighlights(mediaId);
  });
  highlightQueue.whenRefused((step, error) => {
    show(texts.highlights.refused(step.part, messageOf(error)), { tone: "bad", seconds: 12 });
    onHighlights(step.mediaId);
  });

  function onHighlights(mediaId: string): void {
    void client.invalidateQueries({ queryKey: keyOf(mediaId) });
    void client.invalidateQueries({ queryKey: ["all-highlights"] });
  }

  return {
    setUser: (user: string) => {
      highlightQueue.setUser(user);
      highlightQueue.send();
    },
    send: highlightQueue.send,
    onHighlights,
  };
}
