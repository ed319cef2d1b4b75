import { client, unwrap } from "./client";

export const fetchHealth = () => unwrap(client.GET("/api/health"));
export const fetchReady = () => unwrap(client.GET("/ready"));
export const createSession = (token: string) => unwrap(client.POST("/api/session", { body: { token } }));
export const deleteSession = () => unwrap(client.DELETE("/api/session"));
