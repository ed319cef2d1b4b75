import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Server, server } from "../../composables/server";
import { render } from "../render";

let api: Server;
let page: Awaited<ReturnType<typeof render>>;

beforeEach(() => {
  api = server();
  api.get = (path) =>
    path === "/api/feeds" ? { feeds: [] } : { content: "max_episodes: 1\n", available_profiles: [] };
});
afterEach(() => {
  page.unmount();
  vi.unstubAllGlobals();
});

const button = (name: string) =>
  [...page.root.querySelectorAll("button")].find((one) => one.textContent?.trim() === name) as HTMLButtonElement;
const alerts = () => [...page.root.querySelectorAll('[role="alert"]')].map((one) => one.textContent).join(" ");

const TABS = {
  configuration: () => import("../../../src/components/config/ConfigTab.vue"),
  feeds: () => import("../../../src/components/config/FeedsTab.vue"),
};

/** Once the server is there: the client asks the one it finds. */
async function edit(name: keyof typeof TABS): Promise<void> {
  vi.resetModules();
  page = await render((await TABS[name]()).default);
  await vi.waitFor(() => expect(button("Save changes")).toBeDefined());
  if (name === "feeds") button("Edit as JSON").click();
  const field = await vi.waitFor(() => page.root.querySelector("textarea") ?? expect.fail("no field"));
  field.value = '["https://a.example/feed"]';
  field.dispatchEvent(new Event("input"));
  await vi.waitFor(() => expect(button("Save changes").disabled).toBe(false));
}

test.each(["configuration", "feeds"] as const)(
  "the %s of the server cannot be fetched after a conflict: what was typed stays",
  async (name) => {
    await edit(name);
    api.fails = () => true;
    api.fault = 412;
    button("Save changes").click();
    await vi.waitFor(() => expect(alerts()).toContain("It broke."));
    await vi.waitFor(() => expect(button("Save changes").disabled).toBe(false));
  },
);

test("a configuration that cannot be reloaded says so, until it can", async () => {
  await edit("configuration");
  api.fails = () => true;
  button("Discard changes").click();
  await vi.waitFor(() => expect(alerts()).toContain("It broke."));
  api.fails = () => false;
  button("Discard changes").click();
  await vi.waitFor(() => expect(alerts()).not.toContain("It broke."));
  expect(page.root.querySelector("textarea")?.value).toBe("max_episodes: 1\n");
});
