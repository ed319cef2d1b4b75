import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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
