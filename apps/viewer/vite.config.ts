import { fileURLToPath, URL } from "node:url";
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vitest/config";
import { compressed, limitFirstLoad, serviceWorkerFiles } from "./bundling/plugins.ts";

/** Of compressed script, as docs/explanation/dependencies.md says. */
const FIRST_LOAD_BYTES = 113_000;
/** Texts of what is shown only when one asks for it. */
const LATER_TEXTS = /\/src\/texts\/(?:settings\/)?(?!index|general|library|organise|pages|download)([\w-]+)\.ts$/;
function laterTexts(id: string): string | null {
  const name = id.match(LATER_TEXTS)?.[1];
  return name ? `texts-${name}` : null;
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
            // Before the other group, which would take all files that one of its own names, needed or not.
            { name: laterTexts, debugName: "texts", priority: 1 },
            // What the first look needs, in one file: forty small ones compress worse and take forty requests.
            { name: "first", test: /\/src\/main\.ts$/ },
          ],
        },
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
