import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick, ref } from "vue";
import { useFollow } from "../../src/components/reader/useFollow";
import { mount } from "./mount";

const line = document.createElement("p");
let top = 0;
let scrolls = 0;
let unmount = () => {};

function openTranscript(isPlaying: boolean) {
  const isActive = ref(isPlaying);
  const mounted = mount(() => useFollow(isActive, () => line));
  unmount = mounted.unmount;
  return { isActive, ...mounted.result };
}

const scroll = () => window.dispatchEvent(new Event("scroll"));
const wheel = (options: WheelEventInit = {}) => window.dispatchEvent(new WheelEvent("wheel", options));

beforeEach(() => {
  [top, scrolls] = [0, 0];
  line.scrollIntoView = () => {
    scrolls += 1;
  };
  line.getBoundingClientRect = () => ({ top, bottom: top + 20 }) as DOMRect;
  vi.useFakeTimers();
});
afterEach(() => {
  unmount();
  vi.useRealTimers();
});

test("it follows only while something plays", () => {
  const { isActive, follow } = openTranscript(false);
  follow();
  expect(scrolls).toBe(0);
  isActive.value = true;
  follow();
  expect(scrolls).toBe(1);
});

test("its own scrolls do not stop it, those of the user do", () => {
  const { follow, isFollowing } = openTranscript(true);
  window.dispatchEvent(new Event("pointerdown"));
  follow();
  vi.advanceTimersByTime(500);
  scroll(); // still its own: it began less than 600 ms ago
  vi.advanceTimersByTime(150);
  scroll(); // the same smooth scroll goes on
  expect(isFollowing.value).toBe(true);
  vi.advanceTimersByTime(1000);
  scroll();
  expect(isFollowing.value).toBe(false);
  follow();
  expect(scrolls).toBe(1);
});

test("its own scroll that begins late is its own, and the one after it the user's", () => {
  vi.spyOn(document.documentElement, "scrollHeight", "get").mockReturnValue(100 * window.innerHeight);
  const { follow, isFollowing } = openTranscript(true);
  window.dispatchEvent(new Event("pointerdown"));
  top = 10 * window.innerHeight;
  follow();
  vi.advanceTimersByTime(5000);
  scroll();
  expect(isFollowing.value).toBe(true);
  top = window.innerHeight / 2 - 10;
  window.dispatchEvent(new Event("scrollend"));
  vi.advanceTimersByTime(1000);
  scroll();
  expect(isFollowing.value).toBe(false);
  vi.restoreAllMocks();
});

test("a scroll before any input is the browser's own", () => {
  const { isFollowing } = openTranscript(true);
  scroll();
  expect(isFollowing.value).toBe(true);
});

test("a wheel stops it in the middle of its own scroll, unless it zooms", () => {
  const { follow, isFollowing } = openTranscript(true);
  follow();
  wheel({ ctrlKey: true });
  expect(isFollowing.value).toBe(true);
  wheel();
  expect(isFollowing.value).toBe(false);
});

test("who scrolled away before pressing play stays there, until they turn it on", async () => {
  const { isActive, isFollowing, setFollowing } = openTranscript(false);
  wheel();
  expect(isFollowing.value).toBe(true);
  top = window.innerHeight + 1;
  isActive.value = true;
  await nextTick();
  expect(isFollowing.value).toBe(false);
  setFollowing(true);
  expect([isFollowing.value, scrolls]).toEqual([true, 1]);
});

test("who scrolled and still sees the line is followed", async () => {
  const { isActive, isFollowing } = openTranscript(false);
  wheel();
  isActive.value = true;
  await nextTick();
  expect(isFollowing.value).toBe(true);
});
