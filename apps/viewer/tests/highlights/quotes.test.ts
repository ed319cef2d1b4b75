import { expect, test } from "vitest";
import { asMarkdown, asQuote, fragmentLink } from "../../src/highlights/quotes";

const SOURCE = { title: "On [Horses]", url: "https://example.org/horses" };

test("a quote names its source", () => {
  expect(asQuote("They run.", SOURCE)).toBe("“They run.”\n— On [Horses], https://example.org/horses");
  expect(asQuote("They run.", { title: "A note", url: null })).toBe("“They run.”\n— A note");
});

test("as Markdown every line is quoted, and the note stands below", () => {
  expect(asMarkdown({ quote: "They run.\nThey eat.", note: "True?" }, SOURCE)).toBe(
    "> They run.\n> They eat.\n>\n> — [On \\[Horses\\]](<https://example.org/horses>)\n\nTrue?",
  );
  expect(asMarkdown({ quote: "x", note: null }, { title: "A note", url: null })).toBe("> x\n>\n> — A note");
});

test("as Markdown the words are text, whatever they look like", () => {
  const quote = "# No *heading*\n1. [no](link)\n- <b>no list</b>\n$x_1$";
  expect(asMarkdown({ quote, note: null }, { title: "A_b", url: "https://example.org/a (b)<c>" })).toBe(
    "> \\# No \\*heading\\*\n> 1\\. \\[no\\](link)\n> \\- \\<b\\>no list\\</b\\>\n> \\$x\\_1\\$\n>\n" +
      "> — [A\\_b](<https://example.org/a%20(b)%3Cc%3E>)",
  );
});

test("a link leads to the words, long quotes by their first and last ones", () => {
  expect(fragmentLink("well-known, they run", "https://example.org/a")).toBe(
    "https://example.org/a#:~:text=well%2Dknown%2C%20they%20run",
  );
  expect(fragmentLink("x", "https://example.org/a#part:~:text=y")).toBe("https://example.org/a#part:~:text=x");
  const long = Array.from({ length: 100 }, (_, i) => `word${i}`).join(" ");
  expect(fragmentLink(long, "https://example.org/a")).toBe(
    "https://example.org/a#:~:text=word0%20word1%20word2%20word3%20word4,word95%20word96%20word97%20word98%20word99",
  );
  expect(fragmentLink("first line here\nsecond", "https://example.org/a")).toBe(
    "https://example.org/a#:~:text=first%20line%20here,second",
  );
});
