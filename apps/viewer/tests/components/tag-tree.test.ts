import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_FILTERS } from "../../src/api/filters";
import TagTree from "../../src/components/library/sidebar/TagTree.vue";
import { setDeviceUser } from "../../src/device/user";
import { ADA, BEN, server } from "../composables/server";
import { render } from "./render";

let unmount = () => {};

async function openTree(user: string) {
  unmount();
  const api = server();
  api.user = user;
  api.get = () => ["science", "science/space"].map((name) => ({ id: name, name, color: null, entries: 1 }));
  setDeviceUser(user);
  const { root, queryClient, unmount: close } = await render(TagTree, { filters: NO_FILTERS });
  queryClient.setQueryData(["tags"], api.get("", new URLSearchParams()));
  unmount = close;
  await vi.waitFor(() => expect(root.querySelector(".fold")).not.toBeNull());
  return root.querySelector(".fold") as HTMLButtonElement;
}

beforeEach(() => localStorage.clear());
afterEach(() => {
  unmount();
  setDeviceUser(null);
  vi.unstubAllGlobals();
});

test("which tags are folded is the user's own", async () => {
  (await openTree(ADA)).click();
  expect((await openTree(BEN)).ariaExpanded ?? "").not.toBe("false");
  const names = Object.keys(localStorage).filter((key) => key.includes("collapsed-tags"));
  expect(names).toEqual([`nexus.collapsed-tags.${ADA}`]);
});
