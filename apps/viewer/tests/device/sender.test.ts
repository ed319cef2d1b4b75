import { expect, test, vi } from "vitest";
import { createQueueSender } from "../../src/device/sender";

test("what is added right after a look that found nothing is sent at once", async () => {
  let lock: string | null = null;
  const sendAll = vi.fn(async () => {});
  const queue = createQueueSender({ lock: () => lock, sendAll, onStorage: () => {} });
  queue.send();
  lock = "sender-test";
  await queue.sent();
  expect(sendAll).toHaveBeenCalledOnce();
});
