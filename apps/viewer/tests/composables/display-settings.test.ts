import { afterEach, beforeEach, expect, test, vi } from "vitest";

const KEY = "nexus.reading";
let system: EventTarget & { matches: boolean };

async function openSettings() {
  vi.resetModules();
  const { startDisplaySettings, useDisplaySettings } = await import("../../src/composables/useDisplaySettings");
  startDisplaySettings();
  return useDisplaySettings();
}

const theme = () => document.documentElement.dataset.theme;
const property = (name: string) => document.documentElement.style.getPropertyValue(name);
const stored = () => JSON.parse(localStorage.getItem(KEY) ?? "null");

beforeEach(() => {
  localStorage.clear();
  system = Object.assign(new EventTarget(), { matches: false });
  vi.stubGlobal("matchMedia", () => system);
});
afterEach(() => {
  vi.unstubAllGlobals();
  document.documentElement.removeAttribute("style");
  delete document.documentElement.dataset.theme;
});

test("the system's theme is used, and followed when it changes", async () => {
  const { settings } = await openSettings();
  expect([settings.theme, theme()]).toEqual(["system", "light"]);
  system.matches = true;
  system.dispatchEvent(new Event("change"));
  expect(theme()).toBe("dark");
  settings.theme = "sepia";
  system.dispatchEvent(new Event("change"));
  expect(theme()).toBe("sepia");
});

test("a change is applied and stored at once", async () => {
  const { settings } = await openSettings();
  Object.assign(settings, { size: 24, width: 44, line: 185, font: "sans" });
  expect(["--reading-size", "--reading-width", "--reading-line", "--reading-font"].map(property)).toEqual([
    "1.5rem",
    "44rem",
    "1.85",
    "var(--ui)",
  ]);
  expect(stored()).toEqual({ theme: "system", font: "sans", size: 24, width: 44, line: 185 });
});

test("stored values that are out of range or unknown become the defaults", async () => {
  localStorage.setItem(KEY, JSON.stringify({ theme: "neon", font: 7, size: 300, width: 30, line: 9 }));
  const { settings } = await openSettings();
  expect({ ...settings }).toEqual({ theme: "system", font: "serif", size: 19, width: 30, line: 165 });
});

test("a reset keeps the theme", async () => {
  localStorage.setItem(KEY, JSON.stringify({ theme: "dark", font: "sans", size: 25, width: 30, line: 145 }));
  const { settings, reset } = await openSettings();
  reset();
  expect({ ...settings }).toEqual({ theme: "dark", font: "serif", size: 19, width: 38, line: 165 });
});
