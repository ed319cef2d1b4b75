// A picture of a text that cannot be shown: a box in its place that says why, and tries again where that may help.
import { errorFrom } from "@/api/errors";
import { ADDED } from "@/canonical-text";
import * as texts from "@/texts";

interface Reason {
  sentence: string;
  mayHelp: boolean;
}

/** Not with the image's own error event: it does not tell a picture that is gone from a broken connection. */
async function reasonFor(source: string | null): Promise<Reason> {
  if (!source) return { sentence: texts.pictures.refused, mayHelp: false };
  let response: Response;
  try {
    response = await fetch(source);
  } catch {
    return { sentence: texts.pictures.offline, mayHelp: true };
  }
  if (response.ok) return { sentence: texts.pictures.failed, mayHelp: true };
  const { code } = errorFrom(response.status, await response.json().catch(() => null));
  if (code === "picture_gone") return { sentence: texts.pictures.gone, mayHelp: false };
  if (response.status === 404 || code === "picture_refused")
    return { sentence: texts.pictures.refused, mayHelp: false };
  return { sentence: texts.pictures.failed, mayHelp: true };
}

function element(name: "span" | "button", className: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function boxFor(image: HTMLImageElement, { sentence, mayHelp }: Reason): HTMLElement {
  const box = element("span", "missing-picture", "");
  box.setAttribute(ADDED, "");
  box.role = "group";
  box.ariaLabel = image.alt || texts.pictures.unnamed;
  const isInLine = image.classList.contains("in-line");
  box.classList.toggle("in-line", isInLine);
  if (image.alt) box.append(element("span", "alt", image.alt));
  if (isInLine && image.alt)
    box.title = sentence; // a line of text has no room for it
  else box.append(element("span", "why", sentence));
  // A button inside a link could not be reached: there, the page has to be opened again.
  if (mayHelp && !image.closest("a")) {
    const button = element("button", "button small", texts.pictures.retry) as HTMLButtonElement;
    button.type = "button";
    button.addEventListener("click", () => {
      image.loading = "eager"; // it is in sight, and its place is taken
      image.src = image.getAttribute("src") ?? "";
      box.replaceWith(image);
    });
    box.append(button);
  }
  return box;
}

/** Puts a box in the place of the picture each time it cannot be loaded. */
export function watchPicture(image: HTMLImageElement): void {
  const replace = async () => {
    const reason = await reasonFor(image.getAttribute("src"));
    image.replaceWith(boxFor(image, reason));
  };
  image.addEventListener("error", () => void replace());
  if (!image.hasAttribute("src")) void replace();
}
