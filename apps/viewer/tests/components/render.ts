import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { type Component, createApp, h } from "vue";
import { createMemoryHistory, createRouter } from "vue-router";

const Page = { render: () => null };
const PAGES = {
  library: "/",
  read: "/read/:mediaId",
  highlights: "/highlights",
  dashboard: "/dashboard",
  import: "/settings/import/:importId",
};

/** Shows a component as a part of the app, at an address of it; `props` are its events, too. */
export async function render(component: Component, props: Record<string, unknown> = {}, address = "/") {
  const routes = Object.entries(PAGES).map(([name, path]) => ({ name, path, component: Page }));
  const router = createRouter({ history: createMemoryHistory(), routes });
  await router.push(address);
  const app = createApp({ render: () => h(component, props) });
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
  const root = document.createElement("div");
  document.body.append(root);
  app.use(router).use(VueQueryPlugin, { queryClient }).mount(root);
  const unmount = () => {
    app.unmount();
    root.remove();
  };
  return { root, router, queryClient, unmount };
}

/** Runs `setup` in a part of the app, at an address of it. */
export async function renderSetup<Result>(setup: () => Result, address = "/") {
  const made: Result[] = [];
  const part = {
    setup: () => {
      made.push(setup());
      return () => null;
    },
  };
  return { ...(await render(part, {}, address)), result: made[0] as Result };
}
