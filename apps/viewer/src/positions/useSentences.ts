import type { Ref } from "vue";
import type { Fragment } from "@/api/types";
import type { Sentence } from "@/composables/useProgress";
import type { Sentences } from "@/composables/useScrollProgress";
import { codePoints, unitsAt } from "./code-points";
import { ElementText } from "./element-text";
import { heightOf, READING_LINE } from "./scroll-to-range";
import { sentenceFrom } from "./sentences";

interface ReaderText {
  version: number;
  fragments: Fragment[];
  lang: string | null;
}

/** The element of each fragment: a line of a transcript, or a whole text. */
export function elementsOf(body: HTMLElement | null, fragments: Fragment[]): (HTMLElement | null)[] {
  const texts = body?.querySelectorAll<HTMLElement>(".prose") ?? [];
  return fragments.map(({ id }, index) => document.getElementById(`cue-${id}`) ?? texts[index] ?? null);
}

/** A line of a transcript is shown without its speaker: offsets in it would not be those of its text. */
const isLine = (element: HTMLElement) => element.id.startsWith("cue-");

/** The sentences of the text that is shown, by where they stand on the page. */
export function useSentences(body: Ref<HTMLElement | null>, shown: () => ReaderText | null): Sentences {
  const line = () => heightOf(READING_LINE);

  function here(): Sentence | null {
    const text = shown();
    if (!text) return null;
    const elements = elementsOf(body.value, text.fragments);
    const index = elements.findIndex((one) => one !== null && one.getBoundingClientRect().bottom > line());
    const element = elements[index];
    const fragment = text.fragments[index];
    if (!element || !fragment) return null;
    const position = { version: text.version, fragment: fragment.idx };
    if (isLine(element)) {
      const isBegun = element.getBoundingClientRect().top < line() - 2;
      return { ...position, fragment: (isBegun && text.fragments[index + 1]?.idx) || fragment.idx, offset: 0 };
    }
    const elementText = new ElementText(element);
    const first = elementText.firstBelow(line());
    const sentence = first === null ? null : sentenceFrom(elementText.text, first, text.lang);
    return { ...position, offset: codePoints(elementText.text.slice(0, sentence?.start ?? 0)) };
  }

  function show(sentence: Sentence): boolean {
    const text = shown();
    if (!text || text.version !== sentence.version) return false;
    const index = text.fragments.findIndex(({ idx }) => idx === sentence.fragment);
    const element = elementsOf(body.value, text.fragments)[index];
    if (!element) return false;
    const top = topOf(element, sentence.offset);
    if (top === null) return false;
    window.scrollTo({ top: top + window.scrollY - line() });
    return true;
  }

  return { here, show };
}

/** Where a part of a fragment's canonical text stands on the page; a line of a transcript as a whole. */
export function rangeIn(
  body: HTMLElement | null,
  fragments: Fragment[],
  part: { fragment: number; start: number; end: number },
): Range | null {
  const element = elementsOf(body, fragments)[fragments.findIndex(({ idx }) => idx === part.fragment)];
  if (!element) return null;
  if (!isLine(element)) return new ElementText(element).range(part.start, part.end);
  const range = document.createRange();
  range.selectNodeContents(element);
  return range;
}

function topOf(element: HTMLElement, offset: number): number | null {
  if (isLine(element)) return element.getBoundingClientRect().top;
  const elementText = new ElementText(element);
  return elementText.topOf(unitsAt(elementText.text, offset));
}
