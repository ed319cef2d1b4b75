/** Memory of a process and all its descendants. Linux only: everything is read from /proc. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

export const canMeasure = () => existsSync("/proc/self/status");

/** Caches the parent of each process, so that a poll reads little more than the list of processes. */
export class ProcessTree {
  #parents = new Map();

  /** The process and all its descendants. */
  members(root) {
    const running = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    this.#parents = new Map(running.map((pid) => [Number(pid), this.#parents.get(Number(pid)) ?? parentOf(pid)]));
    const children = new Map();
    for (const [pid, parent] of this.#parents) children.set(parent, [...(children.get(parent) ?? []), pid]);
    const found = this.#parents.has(root) ? [root] : [];
    for (let next = 0; next < found.length; next += 1) found.push(...(children.get(found[next]) ?? []));
    return found;
  }

  bytes(root) {
    return bytesOf(this.members(root));
  }
}

/**
 * Fast, readable without root, and never too small: memory that two processes share is counted for both.
 * Files that are only mapped do not count; the kernel drops them when memory runs short.
 */
export function bytesOf(pids) {
  return sum(pids, (pid) => kilobytes(`/proc/${pid}/status`, /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB/gm) ?? 0) * 1024;
}

/**
 * Shared memory is counted once: exact, but slow, and only root may read it of a sandboxed process. Otherwise the fast
 * figure is used.
 */
export function exactBytesOf(pids) {
  return sum(pids, (pid) => {
    const exact = kilobytes(`/proc/${pid}/smaps_rollup`, /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB/gm);
    return exact === null ? bytesOf([pid]) : exact * 1024;
  });
}

function kilobytes(path, pattern) {
  const found = [...(read(path) ?? "").matchAll(pattern)];
  return found.length > 0 ? sum(found, (match) => Number(match[1])) : null;
}

function parentOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may contain anything, parentheses too.
  return stat ? Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) : 0;
}

function sum(values, of) {
  return values.reduce((total, one) => total + of(one), 0);
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null; // it has ended, or we may not read it
  }
}
