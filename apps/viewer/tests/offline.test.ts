import { expect, test, vi } from "vitest";
import { forEachLimit } from "../src/offline/for-each-limit";
import { picturesIn } from "../src/offline/pictures-in";

test("the pictures of a text, each once, as the browser requests them", () => {
  const html =
    '<p><img alt="a" src="/media/image?url=https%3A%2F%2Fa.example%2F1.png"> and ' +
    '<img src="/media/image?url=https%3A%2F%2Fa.example%2F1.png"></p>' +
    '<img src="/media/image?url=x&amp;w=320"><a href="/media/image?url=no">no</a><img src="https://b.example/2.png">';
  expect(picturesIn({ data: [{ html_sanitized: html }, { html_sanitized: "<p>none</p>" }] })).toEqual([
    "/media/image?url=https%3A%2F%2Fa.example%2F1.png",
    "/media/image?url=x&w=320",
  ]);
});

test("so many at once, and one that fails does not stop the others", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  let [underWay, most] = [0, 0];
  const done: number[] = [];
  await forEachLimit([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
    if (item === 2) throw new Error("broken");
    done.push(item);
  });
  expect(most).toBe(3);
  expect(done).toEqual([1, 3, 4, 5, 6, 7]);
  expect(warned).toHaveBeenCalledOnce();
  warned.mockRestore();
});
