import { afterEach, expect, test, vi } from "vitest";
import { effectScope } from "vue";
import { useMediaQuery } from "../../../src/components/ui/useMediaQuery";

afterEach(() => vi.unstubAllGlobals());

/** jsdom has no windows of a size: a list that changes as it is told. */
function openWindow(matches: boolean) {
  const list = Object.assign(new EventTarget(), { matches });
  const matchMedia = vi.fn((_query: string) => list);
  vi.stubGlobal("matchMedia", matchMedia);
  const change = (now: boolean) => {
    list.matches = now;
    list.dispatchEvent(new Event("change"));
  };
  return { matchMedia, change };
}

test("whether a media query matches follows the window, until nobody asks any more", () => {
  const { matchMedia, change } = openWindow(true);
  const scope = effectScope();
  const isNarrow = scope.run(() => useMediaQuery("(max-width: 40rem)"));
  expect(matchMedia).toHaveBeenCalledWith("(max-width: 40rem)");
  expect(isNarrow?.value).toBe(true);
  change(false);
  expect(isNarrow?.value).toBe(false);
  scope.stop();
  change(true);
  expect(isNarrow?.value).toBe(false);
});
