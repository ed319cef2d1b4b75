import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/vue-query";
import { computed, type Ref, watch } from "vue";
import { messageOf } from "@/api/errors";
import { fetchJobs } from "@/api/operator";
import type { JobStatus } from "@/api/types";
import { useToasts } from "./useToasts";

const POLL_MS = 3000;
export const ENDED: JobStatus[] = ["succeeded", "failed", "cancelled", "stale"];

/** Queued and running jobs, and whether the queue is paused; polled. */
export function useActiveJobs() {
  return useQuery({
    queryKey: ["jobs", "active"],
    queryFn: () => fetchJobs(["queued", "running"], null, 200),
    refetchInterval: POLL_MS,
  });
}

/**
 * Jobs that have ended, newest first. It is not polled: every list says how many jobs there are of each status, so a
 * later list of the active ones tells when another job has ended, however short it was.
 */
export function useJobHistory(outcome: Ref<JobStatus | "">) {
  const active = useActiveJobs();
  const query = useInfiniteQuery({
    queryKey: computed(() => ["jobs", "history", outcome.value]),
    queryFn: ({ pageParam }) => fetchJobs(outcome.value ? [outcome.value] : ENDED, pageParam, 20),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
  let lastAt = 0; // once for each list of the active ones: a request that fails would be followed by the next at once
  watch([active.dataUpdatedAt, query.isFetching], () => {
    const latest = active.data.value?.counts;
    const pages = query.data.value?.pages;
    if (!latest || !pages || query.isFetching.value) return;
    const isBehind = pages.some(({ counts }) => ENDED.some((status) => counts[status] !== latest[status]));
    const latestAt = active.dataUpdatedAt.value;
    if (!isBehind || latestAt < query.dataUpdatedAt.value || latestAt === lastAt) return;
    lastAt = latestAt;
    void query.refetch();
  });
  return query;
}

/** An operator's action on the queue; afterwards all queries about jobs are refetched. */
export function useJobAction<Input, Answer>(
  action: (input: Input) => Promise<Answer>,
  done?: (answer: Answer) => void,
) {
  const client = useQueryClient();
  const { show } = useToasts();
  return useMutation({
    mutationFn: action,
    onSuccess: (answer: Answer) => done?.(answer),
    onError: (error) => show(messageOf(error), { tone: "bad" }),
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }),
  });
}
