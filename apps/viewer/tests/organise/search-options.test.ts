import { beforeEach, describe, expect, it } from "vitest";
import { corrected, insisting, optionsFor, withoutQuotes } from "@/components/library/search/options";
import { forgetSearches, recentSearches, rememberSearch } from "@/components/library/search/recent-searches";
import { setDeviceUser } from "@/device/user";

const operator = { operator: "tag", value: "", count: null, q: "cats tag:" };
const value = { operator: "tag", value: "to read", count: 3, q: 'cats tag:"to read" ' };

describe("what the search box offers", () => {
  it("shows operators, and values with how many have them", () => {
    expect(optionsFor("cats t", [], [operator, value])).toEqual([
      { kind: "operator", name: "tag", q: "cats tag:" },
      { kind: "value", label: 'tag:"to read"', count: 3, q: 'cats tag:"to read" ' },
    ]);
  });

  it("shows no operators between two words, where they would cover the results", () => {
    expect(optionsFor("cats ", ["cats and dogs"], [operator])).toEqual([{ kind: "recent", q: "cats and dogs" }]);
  });

  it("shows recent searches first while nothing is typed, and lets one clear them", () => {
    const recent = ["one", "two", "three", "four", "five", "six"];
    expect(optionsFor("", recent, []).map(({ kind, q }) => `${kind} ${q}`.trim())).toEqual([
      ...recent.slice(0, 5).map((q) => `recent ${q}`),
      "forget",
    ]);
  });

  it("shows those recent searches that begin with what is typed, whatever the capitals, and are longer", () => {
    const recent = ["Café noir", "cafe", "cats"];
    expect(optionsFor("cafe", recent, [])).toEqual([{ kind: "recent", q: "Café noir" }]);
  });
});

describe("recent searches", () => {
  beforeEach(() => {
    localStorage.clear();
    setDeviceUser("ann");
    forgetSearches();
  });

  it("has each once, the last first, and none that is hardly one", () => {
    for (const q of ["zebra ", "lion", "ab", "Zebra"]) rememberSearch(q);
    expect(recentSearches.value).toEqual(["Zebra", "lion"]);
  });

  it("keeps twenty", () => {
    for (let n = 0; n < 25; n += 1) rememberSearch(`search ${n}`);
    expect(recentSearches.value).toHaveLength(20);
    expect(recentSearches.value[0]).toBe("search 24");
  });

  it("belongs to one user", () => {
    rememberSearch("zebra");
    setDeviceUser("ben");
    expect(recentSearches.value).toEqual([]);
    setDeviceUser("ann");
    expect(recentSearches.value).toEqual(["zebra"]);
  });
});

describe("other searches that may be meant", () => {
  it("insists on a word by quoting it, once and as a whole", () => {
    expect(insisting("ligthouse keeper ", "ligthouse")).toBe('"ligthouse" keeper ');
    expect(insisting("ligthouses ligthouse", "ligthouse")).toBe('ligthouses "ligthouse"');
    expect(insisting('"ligthouse"', "ligthouse")).toBe('"ligthouse"');
  });

  it("says what was meant, and drops quotation marks of every kind", () => {
    expect(corrected("ligthouse keper ", { ligthouse: "lighthouse", keper: "keeper" })).toBe("lighthouse keeper");
    expect(withoutQuotes('“link rot” tag:"to read" -"big cats"')).toBe('link rot tag:"to read" -"big cats"');
  });
});
