export interface StoredValue<Value> {
  read: () => Value;
  /** Whether it was kept. */
  write: (value: Value) => boolean;
  forget: () => void;
}

/** A value in this browser's storage; a browser without storage simply forgets. */
export function storedValue<Value>(key: string, fallback: Value): StoredValue<Value> {
  return {
    forget: () => {
      try {
        localStorage.removeItem(key);
      } catch {
        // Forbidden: then it was never kept either.
      }
    },
    read: () => {
      try {
        const text = localStorage.getItem(key);
        return text === null ? fallback : (JSON.parse(text) as Value);
      } catch {
        return fallback;
      }
    },
    write: (value) => {
      try {
        localStorage.setItem(key, JSON.stringify(value));
        return true;
      } catch {
        return false; // full or forbidden: the value lives as long as the page
      }
    },
  };
}
