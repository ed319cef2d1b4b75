import { client, unwrap } from "./client";
import { type Search, wireFilters } from "./filters";

export type Format = "html" | "epub";

/** One text, in an older version if there is one; some texts; or what a list shows, with `q` what a search finds. */
export type DownloadSelection =
  | { mediaId: string; version?: number | null }
  | { mediaIds: string[] }
  | { search: Search };

export interface DownloadedFile {
  name: string;
  content: Blob;
}

export async function download(selection: DownloadSelection, format: Format): Promise<DownloadedFile> {
  const result = request(selection, format);
  const { response } = await result;
  const content = await unwrap(result);
  return { content: content as unknown as Blob, name: nameIn(response.headers.get("content-disposition"), format) };
}

function request(selection: DownloadSelection, format: Format) {
  if ("mediaId" in selection) return ofMedia(selection.mediaId, selection.version ?? null, format);
  return ofList("search" in selection ? wireFilters(selection.search) : { media_id: selection.mediaIds }, format);
}

function ofMedia(mediaId: string, version: number | null, format: Format) {
  const query = { format, ...(version === null ? {} : { version }) };
  const params = { path: { media_id: mediaId }, query };
  return client.GET("/media/{media_id}/download", { params, parseAs: "blob" });
}

function ofList(which: ReturnType<typeof wireFilters> | { media_id: string[] }, format: Format) {
  return client.GET("/api/library/download", { params: { query: { format, ...which } }, parseAs: "blob" });
}

/** The name in its encoded form, which every title has. */
export function nameIn(disposition: string | null, format: string): string {
  const encoded = disposition?.match(/filename\*=UTF-8''([^;]+)/i)?.[1];
  try {
    return encoded ? decodeURIComponent(encoded) : `download.${format}`;
  } catch {
    return `download.${format}`;
  }
}
