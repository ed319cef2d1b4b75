import { onBeforeUnmount, onMounted, type Ref, ref, watch } from "vue";

/** A smooth scroll sends an event every frame; where browsers do not tell its end, it is a pause as long as this. */
const SETTLED_MS = 200;
/** Of one that has nowhere to go, as far as one can tell. */
const STARTS_WITHIN_MS = 600;
/** The end of a scroll that comes so soon, and elsewhere, may be that of the one before. */
const TURNS_MS = 3000;
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
  /** Our scroll that is on its way, or will be as soon as the device gets to it. */
  let moving: { to: Followed; since: number } | null = null;

  function scrollTo(element: Followed | null): void {
    if (!element) return;
    const now = performance.now();
    moving = hasToMove(element) ? { to: element, since: now } : null;
    ownUntil = moving ? Number.POSITIVE_INFINITY : now + STARTS_WITHIN_MS; // on a busy device it begins seconds later
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
    [moving, ownUntil] = [null, 0];
    if (isActive.value) isFollowing.value = false;
  }
  function onScroll(): void {
    const now = performance.now();
    if (now >= ownUntil) {
      if (hasInput) readerScrolled();
    } else if (!moving || !("onscrollend" in window)) {
      ownUntil = now + SETTLED_MS;
    }
  }
  function onScrollEnd(): void {
    const isEarlier = moving && performance.now() - moving.since < TURNS_MS && hasToMove(moving.to);
    if (moving && !isEarlier) [moving, ownUntil] = [null, 0];
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
    window.addEventListener("scrollend", onScrollEnd, { passive: true });
    for (const name of INPUTS) window.addEventListener(name, onInput, { passive: true, capture: true });
  });
  onBeforeUnmount(() => {
    window.removeEventListener("scroll", onScroll);
    window.removeEventListener("scrollend", onScrollEnd);
    for (const name of INPUTS) window.removeEventListener(name, onInput, { capture: true });
  });
  return { isFollowing, setFollowing, follow, scrollTo };
}

/** Whether the page has to scroll to have it in the middle. */
function hasToMove(element: Followed): boolean {
  const box = element.getBoundingClientRect();
  const { scrollHeight } = document.documentElement;
  const wanted = window.scrollY + (box.top + box.bottom - window.innerHeight) / 2;
  const reached = Math.min(Math.max(wanted, 0), Math.max(scrollHeight - window.innerHeight, 0));
  return Math.abs(reached - window.scrollY) > 2;
}

function isInView(element: Followed | null): boolean {
  const box = element?.getBoundingClientRect();
  return box !== undefined && box.bottom > 0 && box.top < window.innerHeight;
}
