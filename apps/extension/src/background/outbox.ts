/** Saves on their way, in IndexedDB: a page of 20 MB is more than extension storage takes. */
import type { CapturedPage, Saved } from "../shared/types";

export interface Description {
  tags: string[];
  note: string;
}

export interface OutboxEntry extends Description {
  key: string; // also the server's idempotency key: what is sent twice is saved once
  addedAt: number;
  url: string;
  title: string;
  page: CapturedPage | null; // null: a link
  itemId: string | null; // the item that it fills
  /** First the link; the page only if the server cannot read it. */
  isLinkFirst: boolean;
  linkItemId: string | null; // of the link that was sent
  described: Description | null; // what the server has of the tags and the note, or was sent with the page
  delivered: { saved: Saved | null } | null; // the server has the link or the page
  problem: string | null; // why the server refused it; the user decides what happens with it
}

const STORE = "outbox";

export async function addEntry(entry: OutboxEntry): Promise<void> {
  await run("readwrite", (store) => store.put(entry));
}

export async function entries(): Promise<OutboxEntry[]> {
  const all = await run<OutboxEntry[]>("readonly", (store) => store.getAll());
  return all.sort((a, b) => a.addedAt - b.addedAt);
}

export async function findEntry(key: string): Promise<OutboxEntry | undefined> {
  return run<OutboxEntry | undefined>("readonly", (store) => store.get(key));
}

export async function removeEntry(key: string): Promise<void> {
  await run("readwrite", (store) => store.delete(key));
}

/** Change an entry in one transaction; false if it is no longer there. */
export async function changeEntry(key: string, changed: Partial<OutboxEntry>): Promise<boolean> {
  const found = await withEntry(key, (entry, store) => store.put({ ...entry, ...changed }));
  return found !== undefined;
}

/** Remove an entry if `isDone`, in one transaction: what is added meanwhile is kept. What is left of it. */
export async function removeIf(key: string, isDone: (entry: OutboxEntry) => boolean): Promise<OutboxEntry | undefined> {
  const found = await withEntry(key, (entry, store) => void (isDone(entry) && store.delete(key)));
  return found && !isDone(found) ? found : undefined;
}

async function withEntry(
  key: string,
  action: (entry: OutboxEntry, store: IDBObjectStore) => void,
): Promise<OutboxEntry | undefined> {
  return run("readwrite", (store) => {
    const found: IDBRequest<OutboxEntry | undefined> = store.get(key);
    found.onsuccess = () => {
      if (found.result) action(found.result, store);
    };
    return found;
  });
}

async function run<T>(mode: IDBTransactionMode, action: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode, { durability: "strict" });
      const request = action(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result as T);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("nexus", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
