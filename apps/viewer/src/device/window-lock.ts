import { storedValue } from "@/device/stored-value";
import { newKey } from "./new-key";

interface Lease {
  holder: string;
  until: number;
}

const LEASE_MS = 20_000;
const RENEW_MS = 5000;
/** Long enough for what another window wrote at the same moment to be seen here. */
const SETTLE_MS = 50;
const POLL_MS = 250;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Runs `task` in one window of this browser at a time. Browsers have locks for that in secure contexts only; else the
 * windows use a lease in localStorage. Without storage there is no lock.
 */
export async function withWindowLock(name: string, task: () => Promise<void>): Promise<void> {
  if ("locks" in navigator) await navigator.locks.request(name, task);
  else await withLease(name, task);
}

async function withLease(name: string, task: () => Promise<void>): Promise<void> {
  const lease = storedValue<Lease | null>(`nexus.lease.${name}`, null);
  const holder = newKey();
  const take = () => lease.write({ holder, until: Date.now() + LEASE_MS });
  /** Held, and not left behind by a closed window or one whose clock was wrong. */
  const isTaken = () => {
    const left = (lease.read()?.until ?? 0) - Date.now();
    return left > 0 && left <= LEASE_MS;
  };
  const isMine = () => lease.read()?.holder === holder;
  const release = () => {
    if (isMine()) lease.forget();
  };

  for (let isHeld = false; !isHeld; ) {
    if (isTaken()) {
      await wait(POLL_MS);
      continue;
    }
    if (!take()) return task();
    await wait(SETTLE_MS);
    isHeld = isMine(); // else another window took it at the same moment, and wrote last
  }
  const timer = setInterval(() => isMine() && take(), RENEW_MS);
  window.addEventListener("pagehide", release);
  try {
    await task();
  } finally {
    clearInterval(timer);
    window.removeEventListener("pagehide", release);
    release();
  }
}
