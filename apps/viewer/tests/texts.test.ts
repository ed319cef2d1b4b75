import { describe, expect, it } from "vitest";
import * as texts from "@/texts";

/** Every sentence, with placeholders filled in: of those that count, for one and for several. */
function sentences(part: unknown): string[] {
  if (typeof part === "string") return [part];
  if (part === texts.pipeline.reason) return [texts.pipeline.reason("zzz")];
  if (typeof part === "function") return [1, 2].flatMap((count) => sentences(part(count, count, count)));
  if (part && typeof part === "object") return Object.values(part).flatMap(sentences);
  return [];
}

describe("texts", () => {
  it("says for each status what reading apps say", () => {
    expect(texts.status).toEqual({
      queued: "Queued",
      processing: "Fetching",
      succeeded: "Ready to read",
      needs_user_text: "Couldn't fetch",
      failed: "Failed",
    });
    expect(texts.library.emptyFind("zzz")).toBe("No results for “zzz”");
    expect(texts.receipt.ready).toBe("Saved to your library.");
    expect([texts.dashboard.half, texts.dashboard.most]).toEqual(["median", "90th percentile"]);
    expect(texts.pipeline.asked("just now")).toBe("requested just now");
    expect(texts.pipeline.skipExisting).toBe("Skip existing");
  });

  it("says once in each group what a key does", () => {
    for (const [name, keys] of texts.shortcuts.groups) {
      const listed = keys.map(([key]) => key);
      expect(listed, name).toEqual([...new Set(listed)]);
    }
  });

  it("uses “read” only for what the user has read", () => {
    const fetched = /being read|was read|has been read|reading the page/i;
    expect(sentences(texts).filter((sentence) => fetched.test(sentence))).toEqual([]);
  });

  it("calls what the user saved an item", () => {
    expect(sentences(texts).filter((sentence) => /\d saves?\b|no saves|your saves/i.test(sentence))).toEqual([]);
  });
});
