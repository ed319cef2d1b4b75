import { type UserStorage, userStorage } from "./user-storage";

/** What one user decided and the server does not have yet, by key: of two under one key the later counts. */
export class StoredQueue<Value extends { at: string }> {
  readonly waiting = new Map<string, Value>();
  /** Those of them that are in storage: when they are gone from there, another window has sent them. */
  private readonly kept = new Set<string>();
  private storage: UserStorage<Value> | null = null;
  owner: string | null = null;

  constructor(private readonly name: string) {}

  /** Whether it is another one. */
  setUser(user: string): boolean {
    if (this.owner === user) return false;
    this.owner = user;
    this.storage = userStorage<Value>(this.name, user);
    this.waiting.clear();
    this.kept.clear();
    this.load();
    return true;
  }

  /** Merges storage, which other windows change, too, with what could not be stored. */
  load(): void {
    const stored = this.storage?.read() ?? new Map<string, Value>();
    for (const key of [...this.kept].filter((one) => !stored.has(one))) {
      this.waiting.delete(key);
      this.kept.delete(key);
    }
    for (const [key, value] of stored) {
      if ((this.waiting.get(key)?.at ?? "") > value.at) continue;
      this.waiting.set(key, value);
      this.kept.add(key);
    }
  }

  put(key: string, value: Value): void {
    this.waiting.set(key, value);
    if (this.storage?.put(key, value)) this.kept.add(key);
    else this.kept.delete(key);
  }

  /** Whether all that waits outlives the page. */
  get areStored(): boolean {
    return this.kept.size >= this.waiting.size;
  }

  /** Unless another one has taken its place. */
  drop(key: string, { at }: Value): void {
    if (this.waiting.get(key)?.at === at) {
      this.waiting.delete(key);
      this.kept.delete(key);
    }
    if (this.storage?.get(key)?.at === at) this.storage.remove(key);
  }

  /** The oldest first. */
  inOrder(): [key: string, value: Value][] {
    this.load();
    return [...this.waiting].sort(([, a], [, b]) => (a.at < b.at ? -1 : 1));
  }

  /** Now; decisions of one millisecond still have an order. */
  now(): string {
    const last = this.inOrder().at(-1)?.[1].at ?? "";
    return new Date(Math.max(Date.now(), last ? Date.parse(last) + 1 : 0)).toISOString();
  }

  isAbout(storageKey: string | null): boolean {
    return this.storage?.isAbout(storageKey) ?? false;
  }
}
