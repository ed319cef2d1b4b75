import { useQuery } from "@tanstack/vue-query";
import { fetchHealth, fetchMe, fetchReady, signIn, signOut } from "@/api/session";
import { forgetOfflineTexts } from "@/offline/register";

const HEALTH_MS = 30_000;

export function useSession() {
  const { data: me } = useQuery({ queryKey: ["me"], queryFn: fetchMe, staleTime: Number.POSITIVE_INFINITY });
  return {
    me,
    enter: async (token: string, path: string) => {
      await signIn(token);
      // A full load, here and below: nothing of whoever was here before stays in memory.
      window.location.replace(path);
    },
    leave: async () => {
      await signOut();
      await forgetOfflineTexts();
      window.location.assign("/login");
    },
  };
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
