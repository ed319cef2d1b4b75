import { useQueryClient } from "@tanstack/vue-query";
import { afterEach, expect, test, vi } from "vitest";
import * as texts from "@/texts";
import { mount } from "./mount";
import { server } from "./server";

/** No other file's: a queue of an earlier test may still be sending what it finds of its user in this browser. */
const USER = crypto.randomUUID();
let unmount = () => {};

async function openReader() {
  vi.resetModules();
  const { setDeviceUser } = await import("@/device/user");
  setDeviceUser(USER);
  const { useActionQueue } = await import("@/composables/organise/useActionQueue");
  const { useReadMark } = await import("@/composables/useReadMark");
  const { useToasts } = await import("@/composables/useToasts");
  const mounted = mount(() => ({
    client: useQueryClient(),
    actions: useActionQueue(),
    mark: useReadMark(),
    toasts: useToasts().toasts,
  }));
  unmount = mounted.unmount;
  return mounted.result;
}

afterEach(() => {
  unmount();
  localStorage.clear();
  vi.unstubAllGlobals();
});

test("a mark that is refused is told with the title of its text", async () => {
  localStorage.clear();
  Object.assign(server(), { user: USER, refuse: () => true });
  const { client, mark, toasts } = await openReader();
  client.setQueryData(["media", "a"], { title: "Of the reader" });
  for (const id of ["a", "b"]) mark(id, true);
  const refused = (title: string) => texts.actions.refused([{ title }], "Not like this.");
  await vi.waitFor(() =>
    expect(toasts.map(({ message }) => message)).toEqual([refused("Of the reader"), refused(texts.library.untitled)]),
  );
});
