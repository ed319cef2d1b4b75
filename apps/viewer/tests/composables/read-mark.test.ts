import { useQueryClient } from "@tanstack/vue-query";
import { expect, test, vi } from "vitest";
import { useReadMark } from "@/composables/useReadMark";
import { actionQueue } from "@/device/action-queue";
import * as texts from "@/texts";
import { mount } from "./mount";

test("a mark names its text, for the message of a refusal", () => {
  const add = vi.spyOn(actionQueue, "add").mockReturnValue("2026-01-01T00:00:00Z");
  const { result, unmount } = mount(() => ({ client: useQueryClient(), mark: useReadMark() }));
  result.client.setQueryData(["media", "a"], { title: "Of the reader" });
  for (const id of ["a", "b"]) result.mark(id, true);
  expect(add.mock.calls.map(([target]) => target.title)).toEqual(["Of the reader", texts.library.untitled]);
  unmount();
  add.mockRestore();
});
