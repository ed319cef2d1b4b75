import { useQueryClient } from "@tanstack/vue-query";
import { effectScope, onScopeDispose } from "vue";
import { lazyModule } from "@/components/ui/lazy";
import type { useHighlightQueue } from "./useHighlightQueue";

const load = lazyModule(() => import("./useHighlightQueue"));

/**
 * `useHighlightQueue`, without it being part of the first load. Where it cannot be loaded, what waits stays in storage
 * until the page is loaded the next time.
 */
export function useHighlightUpdates() {
  const client = useQueryClient();
  const scope = effectScope(true);
  let queue: Promise<ReturnType<typeof useHighlightQueue>> | null = null;
  onScopeDispose(() => scope.stop());
  function start() {
    queue ??= load().then(
      (module) => scope.run(() => module.useHighlightQueue(client)) as ReturnType<typeof module.useHighlightQueue>,
    );
    return queue;
  }
  function withQueue(act: (loaded: ReturnType<typeof useHighlightQueue>) => void): void {
    start().then(act, () => {
      queue = null;
    });
  }
  return {
    setUser: (user: string) => withQueue((loaded) => loaded.setUser(user)),
    send: () => withQueue((loaded) => loaded.send()),
    onHighlights: (mediaId: string) => withQueue((loaded) => loaded.onHighlights(mediaId)),
  };
}
