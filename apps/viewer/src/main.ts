import "./styles/index.css";
import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { createApp } from "vue";
import App from "./App.vue";
import { ApiError } from "./api/errors";
import { startDisplaySettings } from "./composables/useDisplaySettings";
import { registerServiceWorker } from "./offline/register";
import { router } from "./router";

const TRIES = 2;

startDisplaySettings();
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => error instanceof ApiError && error.status >= 500 && failures < TRIES,
      staleTime: 10_000,
      // The browser's offline state says nothing about a server on this machine.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});
createApp(App).use(router).use(VueQueryPlugin, { queryClient }).mount("#app");
registerServiceWorker();
