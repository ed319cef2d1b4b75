import { client, unwrap } from "./client";

export const fetchHealth = () => unwrap(client.GET("/api/health"));
export const fetchReady = () => unwrap(client.GET("/ready"));
export const signIn = (token: string) => unwrap(client.POST("/api/session", { body: { token } }));
export const signOut = () => unwrap(client.DELETE("/api/session"));
