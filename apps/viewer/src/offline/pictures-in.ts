const SOURCE = /\bsrc="(\/media\/image\?[^"]*)"/g;
/** What a serialised attribute escapes. */
const ESCAPED: Record<string, string> = { "&amp;": "&", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&nbsp;": "\u00a0" };

/** The addresses of the pictures in a response of /media/{id}/fragments, each once. A service worker has no DOM. */
export function picturesIn(response: { data: { html_sanitized: string }[] }): string[] {
  const found = response.data.flatMap(({ html_sanitized }) =>
    [...html_sanitized.matchAll(SOURCE)].map(([, source = ""]) =>
      source.replace(/&\w+;/g, (entity) => ESCAPED[entity] ?? entity),
    ),
  );
  return [...new Set(found)];
}
