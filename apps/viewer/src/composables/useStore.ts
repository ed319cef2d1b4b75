import { useQuery } from "@tanstack/vue-query";
import { fetchStore } from "@/api/operator";

const REFRESH_MS = 30_000;

/** Where originals and pictures are kept, and how that is; for operators. */
export function useStore() {
  return useQuery({ queryKey: ["store"], queryFn: fetchStore, refetchInterval: REFRESH_MS, retry: false });
}
