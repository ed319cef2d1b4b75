import { afterEach, expect, test } from "vitest";
import type { Import } from "../../src/api/imports";
import ImportPreview from "../../src/components/settings/imports/ImportPreview.vue";
import { render } from "./render";

let unmount = () => {};
afterEach(() => unmount());

const CUT_OFF = "links.json is damaged or cut off here. What comes before was read.";

async function show(items: number, ...codes: string[]): Promise<HTMLElement> {
  const problems = codes.map((code, line) => ({ file: "links.json", line, code, message: CUT_OFF, url: null }));
  const preview = { counts: { items, problems: problems.length }, problems, rows: [] } as unknown as Import;
  const shown = await render(ImportPreview, { preview, isBusy: false, change: () => {} });
  unmount = shown.unmount;
  return shown.root;
}

test("a file that is cut off is told at once, not in a list that is closed", async () => {
  const root = await show(3, "unreadable_file");
  expect(root.querySelector("[role=alert]")?.textContent).toContain(CUT_OFF);
  expect(root.querySelector("button.primary")).not.toBeNull();
});

test("rows that cannot be imported are a closed list", async () => {
  const root = await show(3, "invalid_url");
  expect(root.querySelector("[role=alert]")).toBeNull();
  expect(root.querySelector("details")?.open).toBe(false);
});

test("where nothing can be imported, nothing can be started", async () => {
  const root = await show(0, "unreadable_file");
  expect(root.querySelector("button.primary")).toBeNull();
});
