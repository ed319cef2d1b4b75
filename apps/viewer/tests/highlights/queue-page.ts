import { vi } from "vitest";
import { ADA } from "../composables/server";

export const TEXT = "11111111-0000-4000-8000-000000000001";
let stop = () => {};

/** The page anew, as after a reload, with the queue of its highlights. */
export async function openPage(user = ADA) {
  stop();
  vi.resetModules();
  const { highlightQueue } = await import("../../src/highlights/highlight-queue");
  highlightQueue.setUser(user);
  stop = highlightQueue.start();
  return highlightQueue;
}
export type Queue = Awaited<ReturnType<typeof openPage>>;

export const closePage = () => stop();
