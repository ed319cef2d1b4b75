import { client, unwrap } from "./client";
import type { components } from "./openapi";

export type LibraryExport = components["schemas"]["Export"];
export type ExportFormat = LibraryExport["format"];
export type ExportSchedule = components["schemas"]["ExportSchedule"];
export type NewSchedule = components["schemas"]["NewExportSchedule"];

export const fetchExports = (): Promise<LibraryExport[]> =>
  unwrap(client.GET("/api/exports")).then((found) => found.exports);

export const makeExport = (format: ExportFormat, query: string): Promise<LibraryExport> =>
  unwrap(client.POST("/api/exports", { body: { format, ...(query ? { query } : {}) } }));

/** Cancels one that waits or runs, removes any other. */
export async function removeExport(id: string): Promise<void> {
  await unwrap(client.DELETE("/api/exports/{export_id}", { params: { path: { export_id: id } } }));
}

export const fetchSchedules = (): Promise<ExportSchedule[]> =>
  unwrap(client.GET("/api/export-schedules")).then((found) => found.schedules);

export const makeSchedule = (body: NewSchedule): Promise<ExportSchedule> =>
  unwrap(client.POST("/api/export-schedules", { body }));

export async function removeSchedule(id: string): Promise<void> {
  await unwrap(client.DELETE("/api/export-schedules/{schedule_id}", { params: { path: { schedule_id: id } } }));
}
