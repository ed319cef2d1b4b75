import { expect, test } from "vitest";
import { parseFile } from "../src/components/library/files/parse-file";
import { parseInput } from "../src/components/library/parse-input";

test.each([
  ["", { kind: "nothing" }],
  ["  \n ", { kind: "nothing" }],
  ["https://example.org/a", { kind: "links", urls: ["https://example.org/a"] }],
  ["example.org/a?b=c", { kind: "links", urls: ["https://example.org/a?b=c"] }],
  ["<https://example.org/a>,", { kind: "links", urls: ["https://example.org/a"] }],
  ["- https://a.example\n- https://b.example\n", { kind: "links", urls: ["https://a.example", "https://b.example"] }],
  ["https://a.example https://a.example", { kind: "links", urls: ["https://a.example"] }],
  ["Read https://a.example later", { kind: "text", text: "Read https://a.example later" }],
  ["A word", { kind: "text", text: "A word" }],
  ["http://", { kind: "incomplete" }],
  [" https://www. ", { kind: "incomplete" }],
  ["javascript:alert(1)", { kind: "text", text: "javascript:alert(1)" }],
])("%j is parsed", (text, expected) => {
  expect(parseInput(text)).toEqual(expected);
});

test("a shortcut file is its link", () => {
  const file = "[InternetShortcut]\r\nURL=https://example.org/x\r\n";
  expect(parseFile("page.url", file)).toEqual({ kind: "links", urls: ["https://example.org/x"] });
  expect(parseFile("page.url", "nothing")).toEqual({ kind: "nothing" });
});

test("a saved page is its text with its address", () => {
  const file =
    '<html><head><title>T</title><link rel="canonical" href="https://a.example/story"></head><body><nav>Menu</nav>' +
    "<article><h1>Story</h1><p>First.</p><script>alert(1)</script><p>Second.</p></article></body></html>";
  const expected = { kind: "text", text: "Story\nFirst.\nSecond.", url: "https://a.example/story" };
  expect(parseFile("story.html", file)).toEqual(expected);
});

test("a text file is parsed like the save box", () => {
  expect(parseFile("links.txt", "https://a.example\nhttps://b.example").kind).toBe("links");
  expect(parseFile("note.txt", "Some words.")).toEqual({ kind: "text", text: "Some words." });
});
