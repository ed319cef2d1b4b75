import type { StoreState } from "@/api/types";
import { ago, bytes } from "@/format";
import * as texts from "@/texts";

interface StoreProblem {
  sentence: string;
  /** What the operator runs. */
  command: string | null;
  tone: "bad" | "warn";
}

const CHECK = "nexus store check";
const CHECKED_DAYS = 30;
const DAY_MS = 86_400_000;
/** A folder with less room than this fills up within days. */
const LOW_BYTES = 2_000_000_000;

/** What is wrong with the store and what helps, the worst first. */
export function problemsOf(store: StoreState, now: number): StoreProblem[] {
  const found: StoreProblem[] = [];
  const { problem, missing, damaged, last_check: check, free_bytes: free } = store;
  const reserve = store.reserve_bytes ?? 0;
  if (problem) found.push({ sentence: texts.store.unusable(problem), command: null, tone: "bad" });
  if (missing) found.push({ sentence: texts.store.missing(missing), command: CHECK, tone: "bad" });
  if (damaged) found.push({ sentence: texts.store.damaged(damaged), command: CHECK, tone: "bad" });
  if (free !== null && free < reserve)
    found.push({ sentence: texts.store.reserveReached(bytes(reserve)), command: null, tone: "bad" });
  else if (free !== null && free - reserve < LOW_BYTES)
    found.push({ sentence: texts.store.lowOnSpace(bytes(free)), command: null, tone: "warn" });
  if (check && now - new Date(check.finished_at).getTime() > CHECKED_DAYS * DAY_MS)
    found.push({ sentence: texts.store.longAgo(ago(check.finished_at, now)), command: CHECK, tone: "warn" });
  return found;
}
