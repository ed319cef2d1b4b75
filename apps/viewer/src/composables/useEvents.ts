import { ref } from "vue";
import type { ServerPosition } from "@/api/positions";

export interface ItemEvent {
  item_id: string;
  media_id: string;
  status: string;
  status_detail: string | null;
  title: string | null;
  updated_at: string;
}

export interface ReadEvent {
  media_id: string;
  read_at: string | null;
}

export interface Handlers {
  item: (event: ItemEvent) => void;
  removed: (itemId: string) => void;
  /** Marked as read or unread, in whichever window or device. */
  read: (event: ReadEvent) => void;
  /** Where the user is in a text or its audio, as a device of theirs said. */
  position: (position: ServerPosition) => void;
  /** Archived, starred, tagged or edited, in whichever window or device. */
  entry: (mediaId: string) => void;
  /** Highlights of a text came, went or changed, in whichever window or device. */
  highlights: (mediaId: string) => void;
  /** Tags or saved searches have changed. */
  tags: () => void;
  /** There is a new version of a text. */
  textChanged: (mediaId: string) => void;
  /** Something without an item was added, changed or removed: an episode. */
  libraryChanged: () => void;
  /** For the first time: what changed between the first requests and now was not told. */
  connected: () => void;
  /** After a gap: events were missed, so what is shown must be fetched again. */
  reconnected: () => void;
  /** The server responds, but not with a stream: the user may be signed out. */
  refused: () => void;
}

type Connection = "connecting" | "live" | "lost";
const RETRY_MS = 3000;
const connection = ref<Connection>("connecting");
let source: EventSource | null = null;
let timer = 0;

function open(handlers: Handlers): void {
  close();
  const opened = new EventSource("/api/events");
  source = opened;
  opened.onopen = () => {
    const before = connection.value;
    connection.value = "live";
    if (before === "lost") handlers.reconnected();
    else if (before === "connecting") handlers.connected();
  };
  opened.onerror = () => {
    connection.value = "lost";
    // A response that is no stream (401, 503) closes for good; the browser only retries broken connections.
    if (opened.readyState === EventSource.CLOSED) {
      timer = window.setTimeout(() => open(handlers), RETRY_MS);
      handlers.refused();
    }
  };
  opened.addEventListener("item", (event) => handlers.item(JSON.parse(event.data)));
  opened.addEventListener("removed", (event) => handlers.removed(JSON.parse(event.data).item_id));
  opened.addEventListener("read", (event) => handlers.read(JSON.parse(event.data)));
  opened.addEventListener("position", (event) => handlers.position(JSON.parse(event.data)));
  opened.addEventListener("entry", (event) => handlers.entry(JSON.parse(event.data).media_id));
  opened.addEventListener("highlights", (event) => handlers.highlights(JSON.parse(event.data).media_id));
  opened.addEventListener("tags", () => handlers.tags());
  opened.addEventListener("text", (event) => handlers.textChanged(JSON.parse(event.data).media_id));
  opened.addEventListener("shelf", () => handlers.libraryChanged());
}

function close(): void {
  window.clearTimeout(timer);
  source?.close();
  source = null;
}

/** Not even the user could be fetched: there is no connection yet. */
function markLost(): void {
  if (!source) connection.value = "lost";
}

export function useEvents() {
  return { connection, open, close, markLost };
}
