import { afterEach, beforeEach, expect, test } from "vitest";
import { nextTick } from "vue";
import { enlarged, letEnlarge } from "../../../src/components/reader/pictures/enlarge-picture";
import PictureDialog from "../../../src/components/reader/pictures/PictureDialog.vue";
import { render } from "../render";

const PICTURE = { src: "/big.png", alt: "A zebra" };

beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
});
afterEach(() => {
  enlarged.value = null;
  document.body.innerHTML = "";
});

/** A picture of the text, loaded. */
function picture(html: string, width: number, height: number): HTMLImageElement {
  document.body.innerHTML = html;
  const image = document.querySelector("img") as HTMLImageElement;
  Object.defineProperties(image, { naturalWidth: { value: width }, naturalHeight: { value: height } });
  letEnlarge(image);
  image.dispatchEvent(new Event("load"));
  return image;
}
const button = () => document.querySelector<HTMLButtonElement>("button.enlarge");

test("a large picture is enlarged by a click and by its button", () => {
  const image = picture('<img src="/big.png" alt="A zebra">', 400, 300);
  image.click();
  expect(enlarged.value).toMatchObject({ alt: "A zebra", src: expect.stringContaining("/big.png") });
  enlarged.value = null;
  button()?.click();
  expect(enlarged.value).toMatchObject({ alt: "A zebra" });
});

test.each([
  ["a small one", '<img src="/big.png">', 400, 119],
  ["one in a line of text", '<img class="in-line" src="/big.png">', 400, 300],
  ["one that leads somewhere", '<a href="#x"><img src="/big.png"></a>', 400, 300],
])("%s is not", (_, html, width, height) => {
  picture(html, width, height).click();
  expect(enlarged.value).toBeNull();
  expect(button()).toBeNull();
});

test("a picture that loads again has one button, and none once it is gone", () => {
  const image = picture('<img src="/big.png">', 400, 300);
  image.dispatchEvent(new Event("load"));
  expect(document.querySelectorAll("button.enlarge")).toHaveLength(1);
  image.dispatchEvent(new Event("error"));
  expect(button()).toBeNull();
});

test("the picture is closed by its button, and with the text it is part of", async () => {
  enlarged.value = PICTURE;
  const { root, unmount } = await render(PictureDialog, PICTURE);
  root.querySelector("button")?.click();
  expect(enlarged.value).toBeNull();
  enlarged.value = PICTURE;
  await nextTick();
  unmount();
  expect(enlarged.value).toBeNull();
});
