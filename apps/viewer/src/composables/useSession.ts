import { useQuery, useQueryClient } from "@tanstack/vue-query";
import { fetchHealth, fetchMe, fetchReady, signIn, signOut } from "@/api/session";
import { forgetOfflineTexts } from "@/offline/register";

const HEALTH_MS = 30_000;

export function useSession() {
  const client = useQueryClient();
  const { data: me } = useQuery({ queryKey: ["me"], queryFn: fetchMe, staleTime: Number.POSITIVE_INFINITY });
  return {
    me,
    enter: async (token: string) => {
      const who = await signIn(token);
      client.clear();
      client.setQueryData(["me"], who);
    },
    leave: async () => {
      await signOut();
      await forgetOfflineTexts();
      // A full load: nothing of the one who leaves stays in memory.
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
