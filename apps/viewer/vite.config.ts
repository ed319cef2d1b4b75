import { fileURLToPath, URL } from "node:url";
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vitest/config";
import { compressed, serviceWorkerFiles } from "./bundling/plugins.ts";

const api = process.env.NEXUS_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [vue(), serviceWorkerFiles(), compressed()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    // Beside the Python code, so that `nexus serve` finds it in a checkout and in a wheel alike.
    outDir: "../../python/nexus/viewer",
    emptyOutDir: true,
    target: "es2022",
    // An inlined asset would be a data: address, which our policy does not let a page load.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: "index.html", "service-worker": "src/offline/service-worker.ts" },
      output: {
        entryFileNames: (chunk) => (chunk.name === "service-worker" ? "service-worker.js" : "assets/[name]-[hash].js"),
      },
    },
  },
  server: { proxy: { "^/(api|items|media)(/|$)": { target: api, changeOrigin: true } } },
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/patience.ts"],
    // Vitest's five seconds are over on a busy machine, and a test that is given up goes on beside the next one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
    maxWorkers: 1,
    reporters: "dot",
  },
});
