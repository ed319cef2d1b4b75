import { useQuery, useQueryClient } from "@tanstack/vue-query";
import { onScopeDispose } from "vue";
import { fetchMe } from "@/api/client";
import { ApiError } from "@/api/errors";
import { createSession, deleteSession, fetchHealth, fetchReady } from "@/api/session";
import { leavePage } from "@/device/leave-page";
import { storedValue } from "@/device/stored-value";
import { setDeviceUser } from "@/device/user";
import { loadHighlightQueue } from "@/highlights/unsent";
import { deleteOfflineTexts } from "@/offline/register";
import { positionQueue } from "@/positions/position-queue";
import { finishRemovals } from "./useRemoval";

const HEALTH_MS = 30_000;
const RETRY_MS = 5000;
const ME = ["me"];

export function useSession() {
  const { data: me, error } = useQuery({ queryKey: ME, queryFn: fetchMe, staleTime: Number.POSITIVE_INFINITY });
  return {
    me,
    error,
    signIn: async (token: string, path: string) => {
      await createSession(token);
      await clearDevice();
      storedValue("nexus.places", {}).forget(); // of an earlier version, without a user
      leavePage(path);
    },
    signOut: async (beforeLeaving: () => Promise<void> | void) => {
      await finishRemovals(); // not possible once signed out, nor is the next
      const highlights = await loadHighlightQueue();
      await Promise.all([positionQueue.finish(), highlights.finish()]);
      await deleteSession();
      await beforeLeaving();
      await clearDevice();
      leavePage("/login");
    },
  };
}

/** After a sign-out. What waits to be sent stays, for its user. */
export async function clearDevice(): Promise<void> {
  setDeviceUser(null);
  await deleteOfflineTexts();
}

/** Fetches the user again while that has failed: `online` events are not reliable. */
export function useSessionRecovery(): void {
  const client = useQueryClient();
  function retry(): void {
    const error = client.getQueryState(ME)?.error;
    const isSignedOut = error instanceof ApiError && error.status === 401;
    if (error && !isSignedOut) void client.refetchQueries({ queryKey: ME });
  }
  const timer = window.setInterval(retry, RETRY_MS);
  window.addEventListener("online", retry);
  onScopeDispose(() => {
    window.clearInterval(timer);
    window.removeEventListener("online", retry);
  });
}

export function useHealth() {
  const { data: health, error } = useQuery({
    queryKey: ["health"],
    queryFn: fetchHealth,
    refetchInterval: HEALTH_MS,
    staleTime: HEALTH_MS,
  });
  return { health, error };
}

export function useReadiness() {
  return useQuery({ queryKey: ["ready"], queryFn: fetchReady, refetchInterval: HEALTH_MS, retry: false });
}
