import { client, unwrap } from "./client";
import { filtered, type Search } from "./library";

export type Format = "html" | "epub";

/** One text, in an older version if there is one; or what a list shows, with `q` what a search finds. */
export type Wanted = { mediaId: string; version?: number | null } | { search: Search };

export interface DownloadedFile {
  name: string;
  content: Blob;
}

export async function download(wanted: Wanted, format: Format): Promise<DownloadedFile> {
  const result =
    "mediaId" in wanted ? ofMedia(wanted.mediaId, wanted.version ?? null, format) : ofList(wanted.search, format);
  const { response } = await result;
  const content = await unwrap(result);
  return { content: content as unknown as Blob, name: nameIn(response.headers.get("content-disposition"), format) };
}

function ofMedia(mediaId: string, version: number | null, format: Format) {
  const query = { format, ...(version === null ? {} : { version }) };
  const params = { path: { media_id: mediaId }, query };
  return client.GET("/media/{media_id}/download", { params, parseAs: "blob" });
}

function ofList({ q, ...filters }: Search, format: Format) {
  const query = { format, ...filtered(filters), ...(q ? { q } : {}) };
  return client.GET("/api/library/download", { params: { query }, parseAs: "blob" });
}

/** The name in its encoded form, which every title has. */
export function nameIn(disposition: string | null, format: Format): string {
  const encoded = disposition?.match(/filename\*=UTF-8''([^;]+)/i)?.[1];
  try {
    return encoded ? decodeURIComponent(encoded) : `download.${format}`;
  } catch {
    return `download.${format}`;
  }
}
