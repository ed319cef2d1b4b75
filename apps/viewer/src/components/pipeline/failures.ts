import type { Job } from "@/api/types";

/** How many feeds and episodes of a run failed. */
export const failuresOf = (job: Job): number => (job.feeds_failed ?? 0) + (job.episodes_failed ?? 0);
