/** Where Chromium is and how it is started: quiet, without ways around the proxy, without a past. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
import { Failure } from "./failures.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const LAUNCH_MS = 30_000;

const SWITCHES = [
  // One way out: no QUIC, no UDP of WebRTC beside the proxy, and no look-up of a name but by the proxy.
  "--disable-quic",
  // Two names of one switch: Chromium 156 no longer knows the first and sent STUN past the proxy with it alone.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  // Nothing that Chromium would ask for on its own account; Playwright sets the rest of this family.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-pings",
  "--deny-permission-prompts",
  "--disable-crash-reporter",
  "--disable-gpu",
  "--mute-audio",
  // A page's script may not take the whole machine's memory; its tab crashes instead.
  "--js-flags=--max-old-space-size=512",
];

// What Chromium would tell or ask its makers about pages: their forms, their language.
const FEATURES_OFF = ["AutofillServerCommunication", "OptimizationTargetPrediction", "Translate"];
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
 * Chromium goes by the last --disable-features alone, so ours must repeat Playwright's. There is no public way to ask for
 * them; a test looks at the command line of a running Chromium.
 */
async function featuresOffByPlaywright() {
  const all = await chromium._connection.toImpl(chromium).defaultArgs({ args: [] }, false, "");
  return all.find((one) => one.startsWith(FEATURES));
}

/** For a person at a terminal, who has no proxy to resolve names. Nexus itself always brings one. */
function withoutProxy() {
  return SWITCHES.filter((one) => !one.startsWith("--host-resolver-rules"));
}

function findChromium() {
  if (process.env.NEXUS_CHROMIUM) return process.env.NEXUS_CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), chromium.executablePath()];
  const found = paths.find(isExecutable);
  if (!found) throw new Failure("no_browser", "There is no Chromium here; install it or name it in NEXUS_CHROMIUM.");
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
