import { byId } from "../shared/elements";
import { ask } from "../shared/messages";
import { type CaptureMode, loadSettings, readServer, storeSettings } from "../shared/settings";
import * as texts from "../shared/texts";

const server = byId<HTMLInputElement>("server");
const code = byId<HTMLInputElement>("code");
const token = byId<HTMLInputElement>("token");
const problem = byId("problem");

async function open(): Promise<void> {
  const settings = await loadSettings();
  server.value = settings.server;
  byId("connection").textContent = settings.token ? texts.connected(settings.server) : texts.notConnected;
  for (const choice of document.querySelectorAll<HTMLInputElement>("input[name=mode]")) {
    choice.checked = choice.value === settings.mode;
    choice.addEventListener("change", () => void storeSettings({ mode: choice.value as CaptureMode }));
  }
}

token.addEventListener("input", () => {
  code.required = !token.value;
});

byId<HTMLFormElement>("pairing").addEventListener("submit", (event) => {
  event.preventDefault();
  void connect();
});

async function connect(): Promise<void> {
  problem.textContent = "";
  const url = readServer(server.value);
  if (!url) {
    problem.textContent = texts.badServer;
    return;
  }
  try {
    if (token.value.trim()) await storeSettings({ server: url, token: token.value.trim() });
    else await ask("pair", { server: url, code: code.value.trim() });
    code.value = token.value = "";
    await open();
  } catch (error) {
    problem.textContent = texts.pairingFailed(error instanceof Error ? error.message : String(error));
  }
}

void open();
