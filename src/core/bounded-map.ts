// A map that evicts the least recently used entry when it is full, so that what clients send cannot grow memory without bound.

export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
}

/** `most` is a number of entries, or a total weight if `weightOf` is given. */
export function createBoundedMap<Key, Value>(
  most: number,
  weightOf: (value: Value) => number = () => 1,
): BoundedMap<Key, Value> {
  // In order of last use.
  const kept = new Map<Key, Value>();
  let weight = 0;

  function remove(key: Key): void {
    if (!kept.has(key)) return;
    weight -= weightOf(kept.get(key) as Value);
    kept.delete(key);
  }

  return {
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) {
        kept.delete(key);
        kept.set(key, value);
      }
      return value;
    },
    set(key, value) {
      remove(key);
      kept.set(key, value);
      weight += weightOf(value);
      for (const oldest of kept.keys()) {
        if (weight <= most) break;
        remove(oldest);
      }
    },
    delete: remove,
    clear() {
      kept.clear();
      weight = 0;
    },
  };
}
