import { beforeEach, expect, test, vi } from "vitest";
import { useConfirmations } from "../../src/components/library/files/useConfirmations";

beforeEach(() => vi.resetModules());

test("the registered field is focused, and its draft is shared by all pages", async () => {
  const { useSaveBox } = await import("../../src/composables/useSaveBox");
  const field = document.body.appendChild(document.createElement("textarea"));
  await useSaveBox().focusSaveBox(); // without a field there is nothing to focus
  expect(document.activeElement).not.toBe(field);
  useSaveBox().registerField(field);
  useSaveBox().draft.value = "https://example.org/";
  await useSaveBox().focusSaveBox();
  expect(document.activeElement).toBe(field);
  expect(useSaveBox().draft.value).toBe("https://example.org/");
  field.remove();
});

test("exports that need a confirmation wait for each other, each with an id of its own", () => {
  const { waiting, add, next } = useConfirmations();
  const pasted = { source: "Pocket", shape: "CSV", text: "title,url", canBeText: true, fromDraft: false } as const;
  for (const name of ["a.zip", "b.zip"]) add({ ...pasted, name });
  expect(waiting.value.map(({ name }) => name)).toEqual(["a.zip", "b.zip"]);
  expect(new Set(waiting.value.map(({ id }) => id)).size).toBe(2);
  next();
  expect(waiting.value.map(({ name }) => name)).toEqual(["b.zip"]);
});
