import { fileURLToPath, URL } from "node:url";
import vue from "@vitejs/plugin-vue";
import type { Rolldown } from "vite";
import { defineConfig } from "vitest/config";
import { compressed, limitFirstLoad, serviceWorkerFiles } from "./bundling/plugins.ts";

/** Of compressed script, as docs/explanation/dependencies.md says. */
const FIRST_LOAD_BYTES = 113_000;
/** Texts of what is shown only when one asks for it. */
const LATER_TEXTS =
  /\/src\/texts\/(?:settings\/)?(?!index|general|library|organise|pages|download|settings)[\w-]+\.ts$/;
/** These have a file of their own: who opens none of them does without it. */
const PAGES = /\/src\/(pages|components\/settings)\//;

/** What is loaded when it is asked for, or when there is nothing else to do (`loadLazy`). */
function laterParts(id: string, context: Rolldown.ChunkingContext): string | null {
  const importers = context.getModuleInfo(id)?.dynamicImporters ?? [];
  return importers.length > 0 && !PAGES.test(id) ? "later" : null;
}

const api = process.env.NEXUS_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [vue(), serviceWorkerFiles(), limitFirstLoad(FIRST_LOAD_BYTES), compressed()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // Components are written with `<script setup>`; without the other style Vue is smaller.
  define: { __VUE_OPTIONS_API__: "false" },
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
        codeSplitting: {
          groups: [
            // In this order, because a group takes all files that one of its own names, needed or not. Few and large:
            // a hundred small files compress worse, and a page took a hundred requests.
            { name: "texts", test: LATER_TEXTS, priority: 3 },
            { name: "first", test: /\/src\/main\.ts$/, priority: 2 },
            { name: "reader", test: /\/src\/pages\/ReaderPage\.vue$/, priority: 1 },
            { name: laterParts, debugName: "later" },
          ],
        },
      },
    },
  },
  server: { proxy: { "^/(api|items|media)(/|$)": { target: api, changeOrigin: true } } },
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/waiting.ts", "tests/fresh-modules.ts"],
    // Vitest's five seconds are over on a busy machine, and a test that is given up goes on beside the next one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
    // More than a core: the tests wait for most of their time.
    maxWorkers: 3,
    reporters: "dot",
  },
});
