import { expect, test } from "vitest";
import type { StoreState } from "../src/api/types";
import { problemsOf } from "../src/components/config/store-problems";

const NOW = Date.parse("2026-11-16T12:00:00Z");
const counts = { blobs: 10, bytes: 1000, missing: 0, damaged: 0 };
const last_check = { ...counts, started_at: "2026-11-15T11:00:00Z", finished_at: "2026-11-15T12:00:00Z" };
const last_collection = null;
const pictures = { pending: 0, kept: 1, gone: 0, refused: 0 };
const originals_not_kept = { too_large: 0, user_full: 0, waiting_full: 0 };
const store = {
  kind: "folder",
  place: "/data/store",
  problem: null,
  free_bytes: 5e11,
  reserve_bytes: 0,
  waiting_originals: 0,
} as const;
const said = (changes: Partial<StoreState>) =>
  problemsOf({ ...store, ...counts, last_check, last_collection, pictures, originals_not_kept, ...changes }, NOW).map(
    ({ sentence, command }) => [sentence, command].join(" ").trim(),
  );

test("a store in order needs no sentence", () => {
  expect(said({})).toEqual([]);
  expect(said({ kind: "s3", free_bytes: null, last_check: null })).toEqual([]);
});

test("what is wrong, with what helps", () => {
  expect(said({ missing: 3, damaged: 1 })).toEqual([
    "3 blobs are missing. Restore a backup, or run nexus store check",
    "1 blob is damaged. Restore a backup, or run nexus store check",
  ]);
  expect(said({ problem: "The bucket does not answer." })[0]).toContain("The bucket does not answer.");
  expect(said({ free_bytes: 300_000_000 })).toEqual(["Only 300.0 MB are left on the disk of the store."]);
  expect(said({ free_bytes: 3e9, reserve_bytes: 2e9 })).toEqual(["Only 3.0 GB are left on the disk of the store."]);
  expect(said({ free_bytes: 3e8, reserve_bytes: 2e9 })[0]).toContain("less than 2.0 GB is left");
});

test("a check from long ago is to be repeated", () => {
  const check = { ...last_check, finished_at: "2026-09-01T12:00:00Z" };
  expect(said({ last_check: check })).toEqual(["The store was last checked Sep 1, 2026. Run nexus store check"]);
});
