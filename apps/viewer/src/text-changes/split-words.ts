import { UNSPACED_SCRIPTS } from "@/unspaced-scripts";

/** A word, or a punctuation mark, or one character of a script that is written without spaces. */
export interface Word {
  text: string;
  /** White space follows it. */
  spaced: boolean;
}

const UNSPACED = `[${UNSPACED_SCRIPTS}]`;
const LETTER = `(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}_]`;
/** Also with punctuation inside: don't, well-known, 3.14, 1,000, example.org. */
const WORD = `(?:${LETTER})+(?:['’.,:/-](?:${LETTER})+)*`;
/** Marks stay with the character they are written on. */
const WORDS = new RegExp(`(?<word>${WORD}|\\S\\p{M}*)(?<space>\\s*)`, "gu");

/** All words of a paragraph; of white space it only says where it is. */
export function wordsOf(paragraph: string): Word[] {
  return [...paragraph.trim().matchAll(WORDS)].map(({ groups }) => ({
    text: groups?.word ?? "",
    spaced: groups?.space !== "",
  }));
}

export const textOf = (words: readonly Word[]) =>
  words.map(({ text, spaced }) => (spaced ? `${text} ` : text)).join("");
