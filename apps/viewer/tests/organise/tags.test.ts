import { expect, test } from "vitest";
import type { Tag } from "@/api/types";
import { completions, distinct, normalised, offered, problemOf } from "@/components/library/tags/tag-names";
import { tagTree } from "@/components/library/tags/tag-tree";

const tags = (...names: string[]) =>
  names.map((name, id) => ({ id: String(id), name, color: null, entries: 1, inbox: 1 }) as Tag);
const drawn = (nodes: ReturnType<typeof tagTree>) =>
  nodes.map((node) => `${"-".repeat(node.depth)}${node.label}${node.tag ? "" : "?"}`);

test("tags stand below their parents, also below those that are no tags themselves", () => {
  const all = tags("b", "science/space", "Science", "a/b/c", "a b");
  expect(drawn(tagTree(all, new Set()))).toEqual(["a?", "-b?", "--c", "a b", "b", "Science", "-space"]);
  expect(drawn(tagTree(all, new Set(["a", "science"])))).toEqual(["a?", "a b", "b", "Science"]);
  expect(tagTree(all, new Set()).find((node) => node.name === "Science")?.hasChildren).toBe(true);
});

test("completion knows what is meant", () => {
  const names = ["cooking", "Été", "science/space", "outer space", "spacious"];
  expect(completions(names, "SPA")).toEqual(["spacious", "outer space", "science/space"]);
  expect(completions(names, "ete")).toEqual(["Été"]);
  expect(completions(names, "")).toEqual(names);
  expect(completions(names, "zzz")).toEqual([]);
});

test("Enter means the tag of that name, else a new one, not one that begins like it", () => {
  expect(offered(completions(["artificial", "art"], "art"), null)[0]).toBe("art");
  expect(offered(completions(["artificial"], "art"), "art")).toEqual(["art", "artificial"]);
});

test("names are what the server would make of them", () => {
  expect(normalised("  a   b / c ")).toBe("a b/c");
  expect([problemOf("a/b"), problemOf("a//b"), problemOf("x".repeat(101))]).toEqual([null, "emptyPart", "tooLong"]);
  expect(distinct(["Été", "ete", "b"])).toEqual(["Été", "b"]);
});
