/** Finds and starts Chromium: no traffic past the proxy, no requests of its own, a fresh profile. */
import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { Failure } from "./failures.mjs";

// Not imported: Node would first search all seven megabytes for the names they export.
const { chromium } = createRequire(import.meta.url)("playwright-core");

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const LAUNCH_MS = 30_000;

const SWITCHES = [
  // Everything through the proxy: no QUIC, no WebRTC over UDP, and no name resolution but the proxy's.
  "--disable-quic",
  // Two names of one switch: Chromium 156 ignores the first and sent STUN past the proxy with it alone.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  // No requests that Chromium makes for itself; Playwright sets the other switches of this kind.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-pings",
  "--deny-permission-prompts",
  "--disable-crash-reporter",
  "--disable-gpu",
  "--mute-audio",
  // Limits a page's JavaScript heap; its tab crashes above it.
  "--js-flags=--max-old-space-size=512",
];

const FEATURES_OFF = [
  // They send data about pages to Google: their forms, their language.
  "AutofillServerCommunication",
  "OptimizationTargetPrediction",
  "Translate",
  // They prepare for a person in front of a window: a process for the page opened next, and two pages of the browser's
  // own for its address bar. They were two thirds of the processor time of each page.
  "SpareRendererForSitePerProcess",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];
const FEATURES = "--disable-features=";

export async function launch({ chromium: executable, proxy, sandbox }) {
  const executablePath = executable ?? findChromium();
  const own = proxy ? SWITCHES : withoutProxy();
  const ways = proxy ? { proxy: { ...proxy, bypass: "<-loopback>" } } : {};
  const theirs = await featuresOffByPlaywright();
  try {
    return await chromium.launch({
      executablePath,
      ...ways,
      args: [...own, [theirs, ...FEATURES_OFF].join(",")],
      ignoreDefaultArgs: [theirs],
      headless: true,
      // Chromium refuses to run its sandbox as root.
      chromiumSandbox: sandbox ?? process.getuid?.() !== 0,
      timeout: LAUNCH_MS,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    const reason = String(error.message).split("\n").slice(0, 4).join(" ").slice(0, 500);
    throw new Failure("no_browser", `Chromium (${executablePath}) did not start: ${reason}`, { retryable: true });
  }
}

/**
 * Only the last --disable-features counts, so ours must repeat Playwright's. Playwright has no public API for them; a test
 * checks the command line of a running Chromium.
 */
async function featuresOffByPlaywright() {
  const all = await chromium._connection.toImpl(chromium).defaultArgs({ args: [] }, false, "");
  return all.find((one) => one.startsWith(FEATURES));
}

/** For running the script by hand, without a proxy that resolves names. Nexus always has one. */
function withoutProxy() {
  return SWITCHES.filter((one) => !one.startsWith("--host-resolver-rules"));
}

function findChromium() {
  if (process.env.NEXUS_CHROMIUM) return process.env.NEXUS_CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), chromium.executablePath()];
  const found = paths.find(isExecutable);
  if (!found) throw new Failure("no_browser", "Chromium is not installed; install it or set NEXUS_CHROMIUM to its path.");
  return found;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
