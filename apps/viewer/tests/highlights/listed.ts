import type { ListedHighlight } from "../../src/api/highlights";

/** A highlight as the list of all has it. */
export const listed = (id: string, facts: Partial<ListedHighlight> = {}): ListedHighlight => ({
  id,
  media_id: "11111111-0000-4000-8000-000000000001",
  version: 1,
  start: { fragment_idx: 0, offset: 0 },
  end: { fragment_idx: 0, offset: 4 },
  quote: `Words of ${id}`,
  prefix: "",
  suffix: "",
  start_ms: null,
  color: "yellow",
  note: null,
  tags: [],
  state: "attached",
  created_at: "2026-11-01T10:00:00Z",
  updated_at: "2026-11-01T10:00:00Z",
  seen_at: null,
  media: { kind: "web_article", title: "A text", byline: null, site_name: null, url: "https://example.org/a" },
  ...facts,
});
