import { reactive, watch } from "vue";
import { storedValue } from "@/device/stored-value";

export const THEMES = ["system", "light", "sepia", "dark"] as const;
export const FONTS = ["serif", "sans"] as const;
const SIZES = { min: 15, max: 30, step: 1 };
const WIDTHS = { min: 28, max: 60, step: 2 };
/** The height of a line, in hundredths of the size of the text. */
const LINES = { min: 125, max: 225, step: 10 };

interface DisplaySettings {
  theme: (typeof THEMES)[number];
  font: (typeof FONTS)[number];
  size: number;
  width: number;
  line: number;
}

const DEFAULTS: DisplaySettings = { theme: "system", font: "serif", size: 19, width: 38, line: 165 };
const storage = storedValue<Partial<DisplaySettings>>("nexus.reading", {});
const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");
const settings = reactive<DisplaySettings>(validated({ ...DEFAULTS, ...storage.read() }));

function validated(value: DisplaySettings): DisplaySettings {
  const within = (number: unknown, range: typeof SIZES, fallback: number) =>
    typeof number === "number" && number >= range.min && number <= range.max ? number : fallback;
  return {
    theme: THEMES.includes(value.theme) ? value.theme : DEFAULTS.theme,
    font: FONTS.includes(value.font) ? value.font : DEFAULTS.font,
    size: within(value.size, SIZES, DEFAULTS.size),
    width: within(value.width, WIDTHS, DEFAULTS.width),
    line: within(value.line, LINES, DEFAULTS.line),
  };
}

function apply(): void {
  const root = document.documentElement;
  const systemTheme = systemIsDark.matches ? "dark" : "light";
  root.dataset.theme = settings.theme === "system" ? systemTheme : settings.theme;
  root.style.setProperty("--reading-size", `${settings.size / 16}rem`);
  root.style.setProperty("--reading-width", `${settings.width}rem`);
  root.style.setProperty("--reading-line", `${settings.line / 100}`);
  root.style.setProperty("--reading-font", settings.font === "serif" ? "var(--serif)" : "var(--ui)");
}

/** Applies them, also when they change, and stores what is changed. Once, before the app is shown. */
export function startDisplaySettings(): void {
  apply();
  systemIsDark.addEventListener("change", apply);
  watch(
    settings,
    () => {
      apply();
      storage.write({ ...settings });
    },
    { flush: "sync" },
  );
}

const RANGES = { size: SIZES, width: WIDTHS, line: LINES };
export function stepSetting(what: keyof typeof RANGES, direction: 1 | -1): void {
  const range = RANGES[what];
  settings[what] = Math.min(range.max, Math.max(range.min, settings[what] + direction * range.step));
}

export function useDisplaySettings() {
  return { settings, reset: () => Object.assign(settings, { ...DEFAULTS, theme: settings.theme }) };
}
