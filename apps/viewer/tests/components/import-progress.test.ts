import { expect, test } from "vitest";
import type { Import } from "../../src/api/imports";
import ImportProgress from "../../src/components/settings/imports/ImportProgress.vue";
import { render } from "./render";

async function actions(status: Import["status"]): Promise<string[]> {
  const outcomes = { waiting: 1, failed: 0 };
  const fetching = { queued: 0, processing: 0, succeeded: 1, needs_user_text: 0, failed: 0 };
  const progress = { status, total: 2, outcomes, fetching } as unknown as Import;
  const { root, unmount } = await render(ImportProgress, { progress, isBusy: false, change: () => {} });
  const found = [...root.querySelectorAll("button")].map((button) => button.textContent?.trim() ?? "");
  unmount();
  return found;
}

test("an import is undone when it has ended, as the server allows", async () => {
  expect(await actions("finished")).toContain("Undo import");
  expect(await actions("cancelled")).toContain("Undo import");
  expect(await actions("paused")).not.toContain("Undo import");
  expect(await actions("running")).not.toContain("Undo import");
});
