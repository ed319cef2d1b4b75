import { client, unwrap } from "./client";
import { isServerTimeKnown } from "./server-clock";

export const fetchHealth = () => unwrap(client.GET("/api/health"));
/** For what is sent with the time of this device, whose clock may be wrong; throws without a connection. */
export async function learnServerTime(): Promise<void> {
  if (!isServerTimeKnown()) await client.GET("/api/health", { cache: "no-store" });
}
export const fetchReady = () => unwrap(client.GET("/ready"));
export const createSession = (token: string) => unwrap(client.POST("/api/session", { body: { token } }));
export const deleteSession = () => unwrap(client.DELETE("/api/session"));
