import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick } from "vue";
import PlayerBar from "../../src/components/player/PlayerBar.vue";
import { at, length, track } from "../../src/player/state";
import { EPISODE } from "../player/episode";
import { render } from "./render";

let unmount = () => {};

async function openBar() {
  const shown = await render(PlayerBar);
  unmount = shown.unmount;
  const slider = shown.root.querySelector<HTMLInputElement>("input[type=range]") as HTMLInputElement;
  const tell = async (name: string, value?: number) => {
    if (value !== undefined) slider.value = String(value);
    slider.dispatchEvent(new Event(name, { bubbles: true }));
    await nextTick();
  };
  const play = async (second: number) => {
    at.value = second;
    await nextTick();
  };
  return { slider, tell, play, text: () => shown.root.textContent };
}

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  [track.value, at.value, length.value] = [EPISODE, 60, 1000];
});
afterEach(() => {
  unmount();
  [track.value, at.value, length.value] = [null, 0, 0];
  vi.unstubAllGlobals();
});

test("what plays does not move the thumb that is held, and letting go seeks there", async () => {
  const { slider, tell, play, text } = await openBar();
  await tell("input", 500);
  await play(60.5);
  await play(61);
  expect(slider.value).toBe("500");
  expect(text()).toContain("8:20 / 16:40");
  await tell("change");
  expect(at.value).toBe(500);
  await play(501);
  expect(slider.value).toBe("501");
});

test("a thumb that is left without a choice goes on with what plays", async () => {
  const { slider, tell, play } = await openBar();
  await tell("input", 500);
  await tell("blur");
  await play(62);
  expect([slider.value, at.value]).toEqual(["62", 62]);
});
