import { onBeforeUnmount, onMounted, readonly, ref } from "vue";

const isFull = ref(false);
/** The text alone: without the bars of this app, and where the browser can, without its own. */
export const isFullScreen = readonly(isFull);

function show(full: boolean): void {
  isFull.value = full;
  document.documentElement.toggleAttribute("data-full-screen", full);
}
async function enter(): Promise<void> {
  show(true);
  // Phones that have none, and browsers that refuse: the bars of this app are gone all the same.
  await document.documentElement.requestFullscreen?.({ navigationUI: "hide" }).catch(() => {});
}
async function leave(): Promise<void> {
  show(false);
  if (document.fullscreenElement) await document.exitFullscreen();
}

export function useFullScreen() {
  const toggle = () => void (isFull.value ? leave() : enter());
  function onChange(): void {
    if (!document.fullscreenElement) show(false);
  }
  /** Where the browser has no full screen, it does not leave it on Escape either. */
  function onKey(event: KeyboardEvent): void {
    if (event.key === "Escape" && isFull.value && !document.querySelector("dialog[open]")) void leave();
  }
  onMounted(() => {
    document.addEventListener("fullscreenchange", onChange);
    document.addEventListener("keydown", onKey);
  });
  onBeforeUnmount(() => {
    document.removeEventListener("fullscreenchange", onChange);
    document.removeEventListener("keydown", onKey);
  });
  return { isFull: isFullScreen, toggle, leave };
}
