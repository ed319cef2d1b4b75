import { describe, expect, test } from "vitest";
import { effectScope, nextTick, ref } from "vue";
import { unsaved, useUnsaved } from "../src/components/config/dialog";
import {
  addressProblem,
  duplicates,
  entryOf,
  FEED_OPTIONS,
  feedsOfOpml,
  inLabels,
  opmlOf,
  rowOf,
} from "../src/components/config/feed-rows";
import { withoutProfile, withProfile } from "../src/components/config/profile-line";
import * as texts from "../src/texts";

describe("the profile line", () => {
  test.each([
    ["profile: local\nmax_episodes: 3\n", "local", "max_episodes: 3\n"],
    ["# mine\nprofile: 'dev'  # for now\nx: 1\n", "dev", "# mine\nx: 1\n"],
    ["x: 1\n", null, "x: 1\n"],
    ["  profile: nested\n", null, "  profile: nested\n"],
    ["profile:\n", null, ""],
  ])("%j", (content, profile, rest) => {
    const split = withoutProfile(content);
    expect([split.profile, split.rest]).toEqual([profile, rest]);
  });

  test("goes back to where it stood, and stands once", () => {
    const content = "# mine\nprofile: local\nx: 1\n";
    const { rest, at } = withoutProfile(content);
    expect(withProfile(rest, "local", at)).toBe(content);
    expect(withProfile(rest, null, at)).toBe("# mine\nx: 1\n");
    expect(withProfile("profile: typed\nx: 1", "dev", 0)).toBe("profile: dev\nx: 1\n");
    expect(withProfile("", null, 0)).toBe("");
  });
});

describe("the settings of a feed", () => {
  test("have a label and an explanation each, and nothing else has", () => {
    expect(FEED_OPTIONS.map((option) => option.key).sort()).toEqual(Object.keys(texts.feedSettings.keys).sort());
    const labels = Object.values(texts.feedSettings.keys).map(([label]) => label);
    expect(new Set(labels).size).toBe(labels.length);
    for (const [label, help] of Object.values(texts.feedSettings.keys)) {
      expect(label).not.toContain("_");
      expect(help).toMatch(/\.$/);
    }
    for (const choice of FEED_OPTIONS.flatMap((option) => option.choices ?? [])) {
      expect(texts.feedSettings.choices).toHaveProperty(choice);
    }
  });

  test("are called by their labels also where the server names the key", () => {
    expect(inLabels("max_episodes must be at least 1", "max_episodes")).toBe("“Maximum episodes” must be at least 1");
    expect(inLabels("unknown key tiemout", "tiemout")).toBe("unknown key tiemout");
  });
});

describe("feeds", () => {
  test("an entry without settings is its address", () => {
    expect(entryOf(rowOf("https://a.example/f"))).toBe("https://a.example/f");
    const entry = { url: "https://a.example/f", max_episodes: 3 };
    expect(entryOf(rowOf(entry))).toEqual(entry);
    expect(entryOf({ id: 1, url: " https://a.example/f ", overrides: { timeout: "" } })).toBe("https://a.example/f");
  });

  test("two rows with the same address are told apart", () => {
    const rows = [rowOf("https://a.example"), rowOf("https://b.example/"), rowOf("https://A.example/"), rowOf("")];
    expect([...duplicates(rows)]).toEqual([[rows[2]?.id, 1]]);
  });

  test("an address is one of the web", () => {
    expect(["https://a.example/f", "ftp://a", "nonsense", " "].map(addressProblem)).toEqual([
      null,
      "address",
      "address",
      "empty",
    ]);
  });

  test("OPML goes out as it came in", () => {
    const urls = ["https://a.example/?x=1&y=2", 'https://b.example/"<>'];
    expect(feedsOfOpml(opmlOf(urls))).toEqual(urls);
    expect(feedsOfOpml("<html></html>")).toBeNull();
    expect(feedsOfOpml("not xml <")).toBeNull();
  });
});

describe("unsaved changes of a tab", () => {
  test("are known as long as the tab is open and has some", async () => {
    const scope = effectScope();
    const isChanged = ref(true);
    scope.run(() => useUnsaved("feeds", isChanged));
    expect([...unsaved]).toEqual(["feeds"]);
    isChanged.value = false;
    await nextTick();
    expect([...unsaved]).toEqual([]);
    isChanged.value = true;
    await nextTick();
    expect([...unsaved]).toEqual(["feeds"]);
    scope.stop();
    expect([...unsaved]).toEqual([]);
  });
});
