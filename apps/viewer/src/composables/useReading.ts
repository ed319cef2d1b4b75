import { reactive, watch } from "vue";
import { stored } from "./stored";

export const THEMES = ["system", "light", "sepia", "dark"] as const;
export const FONTS = ["serif", "sans"] as const;
export const SIZES = { min: 15, max: 30, step: 1 };
export const WIDTHS = { min: 28, max: 60, step: 2 };

export interface Reading {
  theme: (typeof THEMES)[number];
  font: (typeof FONTS)[number];
  size: number;
  width: number;
}

const DEFAULTS: Reading = { theme: "system", font: "serif", size: 19, width: 38 };
const storage = stored<Partial<Reading>>("nexus.reading", {});
const reading = reactive<Reading>(sane({ ...DEFAULTS, ...storage.read() }));

function sane(value: Reading): Reading {
  const within = (number: unknown, range: typeof SIZES, fallback: number) =>
    typeof number === "number" && number >= range.min && number <= range.max ? number : fallback;
  return {
    theme: THEMES.includes(value.theme) ? value.theme : DEFAULTS.theme,
    font: FONTS.includes(value.font) ? value.font : DEFAULTS.font,
    size: within(value.size, SIZES, DEFAULTS.size),
    width: within(value.width, WIDTHS, DEFAULTS.width),
  };
}

function apply(): void {
  const root = document.documentElement;
  if (reading.theme === "system") delete root.dataset.theme;
  else root.dataset.theme = reading.theme;
  root.style.setProperty("--reading-size", `${reading.size / 16}rem`);
  root.style.setProperty("--reading-width", `${reading.width}rem`);
  root.style.setProperty("--reading-font", reading.font === "serif" ? "var(--serif)" : "var(--ui)");
}

watch(
  reading,
  () => {
    apply();
    storage.write({ ...reading });
  },
  { flush: "sync" },
);

export function useReading() {
  return { reading, apply, reset: () => Object.assign(reading, { ...DEFAULTS, theme: reading.theme }) };
}
