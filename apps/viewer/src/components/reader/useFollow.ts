import { onBeforeUnmount, onMounted, type Ref, ref, watch } from "vue";

/** A smooth scroll sends an event every frame; after a pause as long as this it has ended. */
const SETTLED_MS = 200;
const STARTS_WITHIN_MS = 600;
const INPUTS = ["pointerdown", "keydown", "wheel", "touchmove"] as const;

/** An element, or what can be put into sight like one. */
export type Followed = Pick<Element, "getBoundingClientRect" | "scrollIntoView">;

/**
 * Scrolls along with an element that moves on by itself while `isActive`. This stops as soon as the user scrolls,
 * however they do it: every scroll after their first input that did not begin here is theirs, and so is a wheel or a
 * finger in the middle of one of ours. `current` is the element to follow.
 */
export function useFollow(isActive: Ref<boolean>, current: () => Followed | null) {
  const isFollowing = ref(true);
  let hasInput = false;
  let hasScrolled = false;
  let ownUntil = 0;

  function scrollTo(element: Followed | null): void {
    if (!element) return;
    ownUntil = performance.now() + STARTS_WITHIN_MS;
    element.scrollIntoView({ block: "center", behavior: "smooth" });
  }
  function follow(): void {
    if (isFollowing.value && isActive.value) scrollTo(current());
  }
  function setFollowing(follows: boolean): void {
    isFollowing.value = follows;
    hasScrolled = false;
    if (follows) scrollTo(current());
  }
  function readerScrolled(): void {
    hasScrolled = true;
    if (isActive.value) isFollowing.value = false;
  }
  function onScroll(): void {
    const now = performance.now();
    if (now < ownUntil) ownUntil = now + SETTLED_MS;
    else if (hasInput) readerScrolled();
  }
  function onInput(event: Event): void {
    hasInput = true;
    const isOnSlider = event.target instanceof HTMLInputElement;
    if (event.type === "touchmove" && !isOnSlider) readerScrolled();
    if (event instanceof WheelEvent && !event.ctrlKey) readerScrolled(); // with Control it zooms
  }
  /** Who scrolled away before pressing play stays there. */
  watch(isActive, (active) => {
    if (active && hasScrolled && !isInView(current())) isFollowing.value = false;
    hasScrolled = false;
  });
  onMounted(() => {
    window.addEventListener("scroll", onScroll, { passive: true });
    for (const name of INPUTS) window.addEventListener(name, onInput, { passive: true, capture: true });
  });
  onBeforeUnmount(() => {
    window.removeEventListener("scroll", onScroll);
    for (const name of INPUTS) window.removeEventListener(name, onInput, { capture: true });
  });
  return { isFollowing, setFollowing, follow, scrollTo };
}

function isInView(element: Followed | null): boolean {
  const box = element?.getBoundingClientRect();
  return box !== undefined && box.bottom > 0 && box.top < window.innerHeight;
}
