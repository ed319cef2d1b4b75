import { client, unwrap, unwrapVersioned } from "./client";
import type { Job, JobStatus } from "./types";

export interface RunOptions {
  feed?: string;
  max_episodes?: number;
  skip_existing?: boolean;
  dry_run?: boolean;
}

export const fetchFeeds = () => unwrapVersioned(client.GET("/api/feeds"));

/** Only if they have not changed since `etag` was read; else ApiError 412. */
export const putFeeds = (feeds: unknown[], etag: string) =>
  unwrapVersioned(client.PUT("/api/feeds", { body: { feeds }, params: { header: { "if-match": etag } } }));

export const fetchOperatorConfig = () => unwrapVersioned(client.GET("/api/operator-config"));

export const putOperatorConfig = (content: string, etag: string) =>
  unwrapVersioned(client.PUT("/api/operator-config", { body: { content }, params: { header: { "if-match": etag } } }));

export const fetchJobs = (status: JobStatus[], cursor: string | null, limit = 30) =>
  unwrap(client.GET("/api/jobs", { params: { query: { status, limit, ...(cursor ? { cursor } : {}) } } }));

export const runJob = (options: RunOptions) => unwrap(client.POST("/api/jobs", { params: { query: options } }));

const at = (jobId: string) => ({ params: { path: { job_id: jobId } } });
export const cancelJob = (jobId: string) => unwrap(client.POST("/api/jobs/{job_id}/cancel", at(jobId)));
export const removeJob = (jobId: string) => unwrap(client.DELETE("/api/jobs/{job_id}", at(jobId)));
export const fetchLogTail = (jobId: string) => unwrap(client.GET("/api/jobs/{job_id}/log-tail", at(jobId)));

export const reconcileJobs = () => unwrap(client.POST("/api/jobs/reconcile"));
export const pauseJobs = () => unwrap(client.POST("/api/jobs/pause"));
export const resumeJobs = () => unwrap(client.POST("/api/jobs/resume"));
export const fetchSchedules = () => unwrap(client.GET("/api/scheduled-jobs"));

export const fetchStore = () => unwrap(client.GET("/api/store"));

interface JobListener {
  status: (job: Job) => void;
  progress: (progress: Job["progress"]) => void;
  log: (text: string) => void;
  end: () => void;
}

/** Events of a running job; call the result to stop listening. */
export function listenToJob(jobId: string, listener: JobListener): () => void {
  const source = new EventSource(`/api/jobs/${encodeURIComponent(jobId)}/events`);
  const on = (name: string, handle: (data: never) => void) =>
    source.addEventListener(name, (event) => handle(JSON.parse((event as MessageEvent).data) as never));
  on("status", listener.status);
  on("progress", listener.progress);
  on("log", ({ text }: { text: string }) => listener.log(text));
  source.addEventListener("end", () => {
    source.close();
    listener.end();
  });
  return () => source.close();
}
