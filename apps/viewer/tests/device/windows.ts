import { vi } from "vitest";
import { ADA } from "../composables/server";

interface Queue {
  setUser: (user: string) => void;
  start: () => () => void;
}

/** Windows of one browser: each with its own modules, all with the same storage. */
export function windows<Opened extends Queue>(load: () => Promise<Opened>) {
  let stop = () => {};
  function close(): void {
    stop();
    stop = () => {};
  }
  /** A window beside those that are open. */
  async function openWindow(user: string | null = ADA): Promise<Opened> {
    vi.resetModules();
    const opened = await load();
    if (user) opened.setUser(user);
    const [stopOthers, stopThis] = [stop, opened.start()];
    stop = () => {
      stopOthers();
      stopThis();
    };
    return opened;
  }
  /** The page anew, as after a reload: nothing in memory, what is stored stays. */
  async function openPage(user: string | null = ADA): Promise<Opened> {
    close();
    return openWindow(user);
  }
  return { openWindow, openPage, close };
}

export const actionWindows = () => windows(async () => (await import("../../src/device/action-queue")).actionQueue);
