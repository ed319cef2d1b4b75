// Sets the theme before the first paint, hence not a module: a dark page must not flash white. Then useDisplaySettings.ts.
(() => {
  let theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  try {
    const stored = JSON.parse(localStorage.getItem("nexus.reading") ?? "{}").theme;
    if (["light", "dark", "sepia"].includes(stored)) theme = stored;
  } catch {
    // No storage, or not written by us: the system's theme.
  }
  document.documentElement.dataset.theme = theme;
})();
