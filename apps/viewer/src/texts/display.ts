/** How texts are shown. */
export const display = {
  title: "Display",
  theme: "Theme",
  themes: { system: "System", light: "Light", sepia: "Sepia", dark: "Dark" },
  font: "Typeface",
  fonts: { serif: "Serif", sans: "Sans" },
  size: "Text size",
  width: "Line width",
  line: "Line height",
  smaller: "Smaller",
  larger: "Larger",
  narrower: "Narrower",
  wider: "Wider",
  closer: "Lines closer together",
  apart: "Lines further apart",
  reset: "Reset",
};
