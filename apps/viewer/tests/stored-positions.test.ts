import { beforeEach, expect, test } from "vitest";
import { storedPositions } from "../src/device/stored-positions";

interface Position {
  share: number;
  at: number;
}

const NAME = "nexus.test-positions";
const open = (limit = 10) => storedPositions<Position>(NAME, limit);
const stored = (user: string) => JSON.parse(localStorage.getItem(`${NAME}.${user}`) ?? "{}");

beforeEach(() => localStorage.clear());

test("a position is kept for its user and read by the next page", () => {
  open().set("ada", "m1", { share: 0.5, at: 1 });
  const positions = open();
  expect(positions.get("ada", "m1")).toEqual({ share: 0.5, at: 1 });
  expect(positions.get("ben", "m1")).toBeUndefined();
});

test("the oldest go when there are too many", () => {
  const positions = open(2);
  positions.set("ada", "m1", { share: 0.1, at: 3 });
  positions.set("ada", "m2", { share: 0.2, at: 1 });
  positions.set("ada", "m3", { share: 0.3, at: 2 });
  expect(Object.keys(stored("ada")).sort()).toEqual(["m1", "m3"]);
  expect(positions.get("ada", "m2")).toBeUndefined();
});

test("what another window wrote since is kept where it is newer", () => {
  const [here, there] = [open(), open()];
  here.set("ada", "m1", { share: 0.1, at: 10 });
  there.set("ada", "m1", { share: 0.9, at: 20 });
  there.set("ada", "m2", { share: 0.4, at: 21 });
  here.set("ada", "m3", { share: 0.3, at: 22 });
  expect(stored("ada")).toEqual({
    m1: { share: 0.9, at: 20 },
    m2: { share: 0.4, at: 21 },
    m3: { share: 0.3, at: 22 },
  });
});

test("positions without a user become those of the first user only", () => {
  localStorage.setItem(NAME, JSON.stringify({ m1: { share: 0.7, at: 1 } }));
  const positions = open();
  expect(positions.get("ada", "m1")?.share).toBe(0.7);
  expect(stored("ada")).toEqual({ m1: { share: 0.7, at: 1 } });
  expect(positions.get("ben", "m1")).toBeUndefined();
});
