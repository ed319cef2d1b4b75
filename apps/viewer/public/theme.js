// Before the first paint, hence not a module: a dark reader must not be flashed with white.
(() => {
  try {
    const theme = JSON.parse(localStorage.getItem("nexus.reading") ?? "{}").theme;
    if (theme === "light" || theme === "dark" || theme === "sepia") document.documentElement.dataset.theme = theme;
  } catch {
    // No storage, or not ours any more: the system's own theme it is.
  }
})();
