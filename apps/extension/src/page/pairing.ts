import type { PairingOffer } from "../shared/types";

/** Injected where the extension is not connected yet: the offer on the settings page of a Nexus server, if this is one. */
export function run(): PairingOffer | null {
  const offer = document.querySelector<HTMLElement>("[data-nexus-pairing-code]");
  const code = offer?.dataset.nexusPairingCode;
  return code ? { server: location.origin, code } : null;
}
