import { shallowRef } from "vue";
import { ADDED } from "@/canonical-text";
import * as texts from "@/texts";

/** Smaller ones (signs, faces) have nothing to show that is not there already. */
const MIN_PX = 120;

/** The picture that is shown as large as the window. */
export const enlarged = shallowRef<{ src: string; alt: string } | null>(null);

/** By a click, and for the keyboard by a button that is visible while it has the focus. */
export function letEnlarge(image: HTMLImageElement): void {
  if (image.closest("a")) return; // it leads somewhere
  image.addEventListener("load", () => {
    const isLarge = Math.min(image.naturalWidth, image.naturalHeight) >= MIN_PX;
    if (!isLarge || image.classList.contains("enlarges") || image.classList.contains("in-line")) return;
    const show = () => {
      enlarged.value = { src: image.currentSrc || image.src, alt: image.alt };
    };
    const button = document.createElement("button");
    button.setAttribute(ADDED, "");
    button.type = "button";
    button.className = "button small enlarge no-print";
    button.textContent = texts.pictures.enlarge(image.alt);
    button.addEventListener("click", show);
    image.classList.add("enlarges");
    image.addEventListener("click", show);
    image.after(button);
    image.addEventListener("error", () => button.remove(), { once: true });
  });
}
