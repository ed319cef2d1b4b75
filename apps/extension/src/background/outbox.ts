/** Saves on their way, in IndexedDB: a page of 20 MB is more than extension storage takes. */
import type { CapturedPage } from "../shared/types";

export interface OutboxEntry {
  key: string; // also the server's idempotency key: what is sent twice is saved once
  addedAt: number;
  url: string;
  title: string;
  tags: string[];
  note: string;
  page: CapturedPage | null; // null: a link
  itemId: string | null; // the item that it fills
  /** First the link; the page only if the server cannot read it. */
  isLinkFirst: boolean;
  linkItemId: string | null; // of the link that was sent
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
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, "readwrite");
      const store = transaction.objectStore(STORE);
      let isThere = false;
      const found = store.get(key);
      found.onsuccess = () => {
        isThere = found.result !== undefined;
        if (isThere) store.put({ ...found.result, ...changed });
      };
      transaction.oncomplete = () => resolve(isThere);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
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
