interface StoredValue<Value> {
  read: () => Value;
  /** Whether it was stored. */
  write: (value: Value) => boolean;
  forget: () => void;
}

/** A value in localStorage; without storage it lasts as long as the page. */
export function storedValue<Value>(key: string, fallback: Value): StoredValue<Value> {
  return {
    forget: () => {
      try {
        localStorage.removeItem(key);
      } catch {
        // Forbidden: then nothing was stored either.
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
