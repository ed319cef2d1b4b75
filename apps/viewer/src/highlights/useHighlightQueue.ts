import type { QueryClient } from "@tanstack/vue-query";
import { onScopeDispose } from "vue";
import { messageOf } from "@/api/errors";
import { fetchHighlights, type Highlight, NOW } from "@/api/highlights";
import { requestAgain } from "@/composables/request-again";
import { useToasts } from "@/composables/useToasts";
import { deviceUser } from "@/device/user";
import * as texts from "@/texts";
import { adoptSent, createListRefresher } from "./all/updates";
import { highlightQueue } from "./highlight-queue";
import { changed } from "./useHighlights";
import { useLostHighlights } from "./useLostHighlights";

/** A text that is kept for reading without a connection has its highlights, too, also those made since. */
async function refreshKept(mediaId: string): Promise<void> {
  const options = { ignoreVary: true };
  if (!("caches" in window) || !(await caches.match(`/media/${mediaId}/highlights`, options))) return;
  await fetchHighlights(mediaId, NOW).catch(() => {}); // the next change, or opening it, asks again
}

/** Sends what is done with highlights, and shows what is done elsewhere. Once, for the whole app. */
export function useHighlightQueue(client: QueryClient) {
  const { show } = useToasts();
  const refreshAll = createListRefresher(client);
  const keyOf = (mediaId: string) => ["highlights", mediaId];

  const setUser = (user: string) => {
    highlightQueue.setUser(user);
    changed.value += 1; // what they did before waits in storage
  };
  if (deviceUser.value) setUser(deviceUser.value);
  onScopeDispose(highlightQueue.start());
  highlightQueue.whenChanged(() => {
    changed.value += 1;
  });
  // What the server has is shown as it is until its own answer comes.
  highlightQueue.whenSent((mediaId) => {
    client.setQueryData(
      keyOf(mediaId),
      (known: Highlight[] | undefined) => known && highlightQueue.withPending(mediaId, known),
    );
    adoptSent(client);
    onHighlights(mediaId);
  });
  const reportLost = useLostHighlights(client);
  highlightQueue.whenRefused(({ step, error, lost }) => {
    if (lost) reportLost(lost, error);
    else show(texts.highlights.refused(messageOf(error)), { tone: "bad", seconds: 12 });
    onHighlights(step.mediaId);
  });
  let isWarned = false;
  highlightQueue.whenNotStored(() => {
    if (!isWarned) show(texts.highlights.notStored, { tone: "bad", seconds: 12 });
    isWarned = true;
  });

  function onHighlights(mediaId: string): void {
    void requestAgain(client, { queryKey: keyOf(mediaId) });
    refreshAll();
    if (
      !client
        .getQueryCache()
        .find({ queryKey: keyOf(mediaId) })
        ?.isActive()
    )
      void refreshKept(mediaId);
  }

  return {
    setUser: (user: string) => {
      setUser(user);
      highlightQueue.send();
    },
    send: highlightQueue.send,
    onHighlights,
  };
}
