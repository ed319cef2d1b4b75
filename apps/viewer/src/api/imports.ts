import * as texts from "@/texts";
import { client, fetchMe, unwrap } from "./client";
import { ApiError, errorFrom } from "./errors";
import type { components } from "./openapi";

export type Import = components["schemas"]["Import"];
type ListedImport = components["schemas"]["ListedImport"];
export type ImportRow = components["schemas"]["ImportRow"];
export type ImportOutcome = NonNullable<ImportRow["outcome"]>;
type ImportOptions = components["schemas"]["Options"];
export type ImportAction = "pause" | "resume" | "cancel" | "retry-failed" | "undo";

const idOf = (id: string) => ({ params: { path: { import_id: id } } });

export const fetchImports = (): Promise<ListedImport[]> =>
  unwrap(client.GET("/api/imports")).then((page) => page.imports);

export const fetchImport = (id: string): Promise<Import> => unwrap(client.GET("/api/imports/{import_id}", idOf(id)));

export const startImport = (id: string, options: ImportOptions): Promise<Import> =>
  unwrap(client.POST("/api/imports/{import_id}/start", { ...idOf(id), body: { options } }));

export const changeImport = (id: string, action: ImportAction): Promise<Import> =>
  unwrap(client.POST(`/api/imports/{import_id}/${action}`, idOf(id)));

export async function discardImport(id: string): Promise<void> {
  await unwrap(client.DELETE("/api/imports/{import_id}", idOf(id)));
}

export const fetchImportRows = (id: string, outcome: ImportOutcome | null, cursor: string | null) => {
  const query = { limit: 50, ...(outcome ? { outcome } : {}), ...(cursor ? { cursor } : {}) };
  return unwrap(client.GET("/api/imports/{import_id}/rows", { params: { path: { import_id: id }, query } }));
};

/** With its progress, from 0 to 1, which `fetch` does not tell. */
export async function uploadImport(files: File[], onProgress: (share: number) => void): Promise<Import> {
  const { user_id: user } = await fetchMe();
  const form = new FormData();
  for (const file of files) form.append("files", file, file.webkitRelativePath || file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/imports");
    request.responseType = "json";
    request.setRequestHeader("X-Expected-User", user);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    request.onload = () => {
      if (request.status === 201) resolve(request.response as Import);
      else reject(errorFrom(request.status, request.response));
    };
    request.onerror = () => reject(new ApiError(0, "offline", texts.errors.offline));
    request.send(form);
  });
}
