import { describe, expect, it } from "vitest";
import { marked, type OfflineQuery, parseQuery, spansIn } from "@/offline/offline-query";

const read = (q: string): OfflineQuery => {
  const query = parseQuery(q);
  if (!query) throw new Error("needs the server");
  return query;
};
const show = (text: string, q: string) =>
  marked(text, spansIn(text, read(q).required).flat())
    .map((part) => (part.hit ? `[${part.text}]` : part.text))
    .join("");

describe("words in what the browser keeps", () => {
  it("are found whatever their case, accents and endings", () => {
    expect(show("A Café, cafés 🦓 and decaf.", "cafe")).toBe(
      "A [Café], [cafés] 🦓 and decaf.".replace("[cafés]", "[café]s"),
    );
    expect(show("ﬁne STRASSE", "fine")).toBe("[ﬁne] STRASSE");
  });

  it("are found in scripts without spaces wherever they stand", () => {
    expect(show("私は東京に住む", "東京")).toBe("私は[東京]に住む");
    expect(show("ကျွန်တော်မြန်မာစာဖတ်သည်", "မြန်မာ")).toBe("ကျွန်တော်[မြန်မာ]စာဖတ်သည်");
  });

  it("in quotes stand one after the other, and end there", () => {
    expect(show("Link rot, link  rotten, link\nrot", "“link rot”")).toBe("[Link rot], link  rotten, [link\nrot]");
  });

  it("with a minus are left out, and names with punctuation are words", () => {
    expect(read("cats -dogs -“big cats”").excluded).toHaveLength(2);
    expect(show("It uses foo_bar.", "foo_bar")).toBe("It uses [foo_bar].");
  });

  it("with operators need the server", () => {
    for (const q of ["tag:work", "cats OR dogs", "-is:read cats", "-cats", '"', ""]) expect(parseQuery(q)).toBeNull();
    expect(parseQuery("std::move foo:bar")?.required).toHaveLength(2);
  });
});
