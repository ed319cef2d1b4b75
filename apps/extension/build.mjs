// Builds dist/chromium and dist/firefox from one source, and a ZIP of each for the stores.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { zipSync } from "fflate";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const ZIP_TIME = new Date("2020-01-01T00:00:00"); // the same source gives the same package

const manifest = {
  manifest_version: 3,
  name: "Nexus: save this page",
  short_name: "Nexus",
  version,
  description: "Saves pages, links and selections, as you see them, to your own Nexus library.",
  icons: { 16: "icons/16.png", 48: "icons/48.png", 128: "icons/128.png" },
  action: { default_popup: "popup.html", default_icon: { 16: "icons/16.png", 48: "icons/48.png" } },
  options_ui: { page: "options.html", open_in_tab: true },
  permissions: ["activeTab", "contextMenus", "scripting", "storage"],
  commands: {
    _execute_action: { suggested_key: { default: "Alt+Shift+N" }, description: "Save this page and add tags" },
    "save-page": { suggested_key: { default: "Alt+Shift+S" }, description: "Save this page" },
  },
};

const targets = {
  chromium: { minimum_chrome_version: "116", background: { service_worker: "background.js" } },
  firefox: {
    background: { scripts: ["background.js"] },
    browser_specific_settings: {
      gecko: {
        id: "nexus-extension@nexus.invalid",
        strict_min_version: "140.0",
        data_collection_permissions: { required: ["websiteContent", "browsingActivity"] },
      },
    },
  },
};

const scripts = {
  entryPoints: {
    background: "src/background/main.ts",
    popup: "src/popup/popup.ts",
    options: "src/options/options.ts",
  },
  bundle: true,
  format: "iife",
  target: ["chrome116", "firefox140"],
  charset: "utf8",
  legalComments: "none",
};

// What executeScript gives back is the value of the last statement of a file.
const injected = { globalName: "nexusPage", footer: { js: "nexusPage.run();" } };

async function buildTarget(name) {
  const outdir = join("dist", name);
  await build({ ...scripts, outdir });
  await build({ ...scripts, ...injected, entryPoints: { capture: "src/page/capture.ts" }, outdir });
  await build({ ...scripts, ...injected, entryPoints: { pairing: "src/page/pairing.ts" }, outdir });
  cpSync("public", outdir, { recursive: true });
  writeFileSync(join(outdir, "manifest.json"), `${JSON.stringify({ ...manifest, ...targets[name] }, null, 2)}\n`);
  writeFileSync(join("dist", `nexus-${name}-${version}.zip`), zipSync(filesOf(outdir), { mtime: ZIP_TIME, level: 9 }));
}

function filesOf(folder) {
  const paths = readdirSync(folder, { recursive: true }).map((name) => join(folder, name));
  const files = paths.filter((path) => statSync(path).isFile()).sort();
  return Object.fromEntries(files.map((path) => [relative(folder, path), new Uint8Array(readFileSync(path))]));
}

rmSync("dist", { recursive: true, force: true });
for (const name of Object.keys(targets)) await buildTarget(name);
