import { client, unwrap } from "./client";
import type { components } from "./openapi";

export type PairedBrowser = components["schemas"]["Pairing"];
export type PairingCode = components["schemas"]["NewPairingCode"];

export const fetchPairedBrowsers = (): Promise<PairedBrowser[]> => unwrap(client.GET("/api/pairings"));

/** For one browser, within ten minutes. */
export const makePairingCode = (): Promise<PairingCode> => unwrap(client.POST("/api/pairings"));

export async function endPairing(id: string): Promise<void> {
  await unwrap(client.DELETE("/api/pairings/{pairing_id}", { params: { path: { pairing_id: id } } }));
}
