import { useMutation, useQuery, useQueryClient } from "@tanstack/vue-query";
import { messageOf } from "@/api/errors";
import { fetchJobs } from "@/api/operator";
import { useToasts } from "./useToasts";

const POLL_MS = 3000;

/** Queued and running jobs, and whether the queue is paused; polled. */
export function useActiveJobs() {
  return useQuery({
    queryKey: ["jobs", "active"],
    queryFn: () => fetchJobs(["queued", "running"], null, 200),
    refetchInterval: POLL_MS,
  });
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
