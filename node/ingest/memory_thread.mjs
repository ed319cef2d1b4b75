/**
 * Ends a browser as soon as it takes more memory than it may. A thread of its own: the main one may be busy with what the
 * page sends it, and a page can ask for a gigabyte within a second.
 */
import { parentPort, workerData } from "node:worker_threads";
import { bytesOf, exactBytesOf, ProcessTree } from "./memory.mjs";

const LOOK_EVERY_MS = 40;

const { maxBytes } = workerData;
const tree = new ProcessTree();
const watched = new Set();
const ended = new Map();
let timer = null;

parentPort.on("message", ({ watch, leave, ask }) => {
  if (watch) {
    watched.add(watch);
    ended.delete(watch); // the number may have been another's before
  }
  if (leave) watched.delete(leave);
  if (ask) parentPort.postMessage({ pid: ask, bytes: ended.get(ask) ?? null });
  clearInterval(timer);
  if (watched.size > 0) timer = setInterval(look, LOOK_EVERY_MS);
});

function look() {
  for (const browser of watched) {
    const pids = tree.members(browser);
    if (bytesOf(pids) <= maxBytes) continue;
    const bytes = exactBytesOf(pids);
    if (bytes <= maxBytes) continue;
    ended.set(browser, bytes); // before the kill: whoever notices the end asks for the reason
    watched.delete(browser);
    for (const pid of pids) end(pid);
  }
}

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It has ended by itself, or it is a sandbox helper of root's, which goes with its parent.
    if (error.code !== "ESRCH" && error.code !== "EPERM") throw error;
  }
}
