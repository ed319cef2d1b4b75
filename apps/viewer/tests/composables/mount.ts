import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { createApp } from "vue";

/** Runs `setup` in an app of its own, as a component would. */
export function mount<Result>(setup: () => Result) {
  const made: Result[] = [];
  const app = createApp({
    setup: () => {
      made.push(setup());
      return () => null;
    },
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
  app.use(VueQueryPlugin, { queryClient }).mount(document.createElement("div"));
  let isMounted = true;
  function unmount(): void {
    if (isMounted) app.unmount();
    isMounted = false;
  }
  return { result: made[0] as Result, queryClient, unmount };
}
