function storedKeys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return []; // forbidden
  }
}

/**
 * Values of one user in this browser's storage. Each has a key of its own, so that two windows do not overwrite each
 * other's values.
 */
export function userStorage<Value>(name: string, user: string) {
  const prefix = `${name}.${user}.`;
  return {
    read(): Map<string, Value> {
      const found = new Map<string, Value>();
      for (const key of storedKeys().filter((one) => one.startsWith(prefix))) {
        try {
          found.set(key.slice(prefix.length), JSON.parse(localStorage.getItem(key) ?? "null"));
        } catch {
          // Not written by us: the others are read all the same.
        }
      }
      return found;
    },
    /** Whether it was stored. */
    put(key: string, value: Value): boolean {
      try {
        localStorage.setItem(prefix + key, JSON.stringify(value));
        return true;
      } catch {
        return false;
      }
    },
    get(key: string): Value | null {
      try {
        return JSON.parse(localStorage.getItem(prefix + key) ?? "null");
      } catch {
        return null;
      }
    },
    remove(key: string): void {
      try {
        localStorage.removeItem(prefix + key);
      } catch {
        // Forbidden: then nothing was stored either.
      }
    },
    /** Whether a change that another window made (a `storage` event) is about these. */
    isAbout: (storageKey: string | null) => storageKey === null || storageKey.startsWith(prefix),
  };
}

export type UserStorage<Value> = ReturnType<typeof userStorage<Value>>;
