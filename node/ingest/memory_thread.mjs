/**
 * Kills a browser as soon as it uses more memory than allowed. In a thread of its own: the main one may be busy with what
 * the page sends it, and a page can allocate a gigabyte within a second.
 */
import { parentPort, workerData } from "node:worker_threads";
import { bytesOf, exactBytesOf, ProcessTree } from "./memory.mjs";

const POLL_MS = 40;

const { maxBytes } = workerData;
const tree = new ProcessTree();
const watched = new Set();
const ended = new Map();
let timer = null;

parentPort.on("message", ({ watch, unwatch, query }) => {
  if (watch) {
    watched.add(watch);
    ended.delete(watch); // pids are reused
  }
  if (unwatch) watched.delete(unwatch);
  if (query) parentPort.postMessage({ pid: query, bytes: ended.get(query) ?? null });
  clearInterval(timer);
  if (watched.size > 0) timer = setInterval(poll, POLL_MS);
});

function poll() {
  for (const browser of watched) {
    const pids = tree.members(browser);
    if (bytesOf(pids) <= maxBytes) continue;
    const bytes = exactBytesOf(pids);
    if (bytes <= maxBytes) continue;
    ended.set(browser, bytes); // before the kill: the main thread queries the reason as soon as it notices
    watched.delete(browser);
    for (const pid of pids) end(pid);
  }
}

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It has already ended, or it is a sandbox helper owned by root, which ends with its parent.
    if (error.code !== "ESRCH" && error.code !== "EPERM") throw error;
  }
}
