/** How much memory the processes below this one take, each shared page counted once among those that share it. */
import { readdirSync, readFileSync } from "node:fs";

export function memoryBelow(pid = process.pid) {
  const children = new Map();
  for (const entry of readdirSync("/proc")) {
    const parent = /^\d+$/.test(entry) ? parentOf(entry) : null;
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const found = [...(children.get(pid) ?? [])];
  for (let next = 0; next < found.length; next += 1) found.push(...(children.get(found[next]) ?? []));
  return found.reduce((sum, one) => sum + proportionalBytes(one), 0);
}

function parentOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  // The name in brackets may hold anything, brackets too.
  return stat ? Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) : null;
}

function proportionalBytes(pid) {
  const kilobytes = read(`/proc/${pid}/smaps_rollup`)?.match(/^Pss:\s+(\d+) kB/m)?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null; // it ended while we looked
  }
}
