import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin, ResolvedConfig } from "vite";

const COMPRESSIBLE = /\.(js|css|html|svg|json|webmanifest)$/;
const WORTH_IT = 1024;
const MARK = "__FILES_OF_THIS_BUILD__";
// Other subsets of the fonts are cached when a text needs them.
const PRECACHED = /^(index\.html|theme\.js|assets\/.*(\.js|\.css|-latin-wght-normal-.*\.woff2))$/;

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Writes .gz and .br beside each text file, so that the server does not compress per request. */
export function compressed(): Plugin {
  let config: ResolvedConfig;
  return {
    name: "nexus-compressed",
    apply: "build",
    enforce: "post",
    configResolved: (resolved) => {
      config = resolved;
    },
    closeBundle: {
      sequential: true,
      order: "post",
      handler() {
        for (const path of files(join(config.root, config.build.outDir))) {
          if (!COMPRESSIBLE.test(path) || statSync(path).size < WORTH_IT) continue;
          const body = readFileSync(path);
          writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
          writeFileSync(`${path}.br`, brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
        }
      },
    },
  };
}

/**
 * Fails the build, before anything is written, when the scripts that the page itself names are larger: a page or dialog
 * that is not needed for the first look belongs into a file of its own.
 */
export function limitFirstLoad(bytes: number): Plugin {
  let config: ResolvedConfig;
  return {
    name: "nexus-first-load",
    apply: "build",
    enforce: "post",
    configResolved: (resolved) => {
      config = resolved;
    },
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const page = bundle["index.html"];
        if (page?.type !== "asset") throw new Error("there is no page to measure the first load of");
        const names = [...String(page.source).matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, name]) => name ?? "");
        const total = names.reduce((sum, name) => {
          const chunk = bundle[name];
          const script = chunk?.type === "chunk" ? chunk.code : readFileSync(join(config.publicDir, name));
          return sum + gzipSync(script, { level: 9 }).length;
        }, 0);
        if (total > bytes) throw new Error(`the first load is ${total} bytes of compressed script, more than ${bytes}`);
      },
    },
  };
}

/** Tells the service worker which files make up the app, once their names are known. */
export function serviceWorkerFiles(): Plugin {
  let config: ResolvedConfig;
  return {
    name: "nexus-service-worker-files",
    apply: "build",
    configResolved: (resolved) => {
      config = resolved;
    },
    closeBundle: {
      sequential: true,
      order: "pre",
      handler() {
        const folder = join(config.root, config.build.outDir);
        if (!existsSync(join(folder, "index.html"))) return; // the build has failed, and says why
        const names = files(folder).map((path) => relative(folder, path));
        const kept = names.filter((name) => PRECACHED.test(name)).map((name) => `/${name.replace("index.html", "")}`);
        const worker = join(folder, "service-worker.js");
        const source = readFileSync(worker, "utf8");
        // Not a module, which older browsers do not take for a service worker.
        if (/\bimport\s*["'{]/.test(source)) throw new Error("the service worker shares a module with the page");
        if (!source.includes(MARK)) throw new Error(`the service worker does not name ${MARK}`);
        writeFileSync(worker, source.replace(MARK, JSON.stringify(kept.sort()).replaceAll('"', '\\"')));
      },
    },
  };
}
