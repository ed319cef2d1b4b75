/**
 * Values of one user in this browser's storage. Each has a key of its own, so that two windows never overwrite what the
 * other one added. A browser without storage simply forgets.
 */
export function userStorage<Value>(name: string, user: string) {
  const prefix = `${name}.${user}.`;
  return {
    read(): Map<string, Value> {
      const found = new Map<string, Value>();
      try {
        for (const key of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
          found.set(key.slice(prefix.length), JSON.parse(localStorage.getItem(key) ?? "null"));
        }
      } catch {
        // Forbidden, or not ours any more.
      }
      return found;
    },
    /** Whether it was kept. */
    put(key: string, value: Value): boolean {
      try {
        localStorage.setItem(prefix + key, JSON.stringify(value));
        return true;
      } catch {
        return false;
      }
    },
    has(key: string): boolean {
      try {
        return localStorage.getItem(prefix + key) !== null;
      } catch {
        return false;
      }
    },
    remove(key: string): void {
      try {
        localStorage.removeItem(prefix + key);
      } catch {
        // Forbidden: then it was never kept either.
      }
    },
    /** Whether a change that another window made (a `storage` event) is about these. */
    isAbout: (storageKey: string | null) => storageKey === null || storageKey.startsWith(prefix),
  };
}

export type UserStorage<Value> = ReturnType<typeof userStorage<Value>>;
