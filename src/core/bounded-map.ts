// A map that evicts the least recently used entry when it is full, so that what clients send cannot grow memory without bound.
import { createByAge } from '#core/by-age.ts';

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
  // By last use.
  const kept = createByAge<Key, Value>();
  let weight = 0;

  function remove(key: Key): void {
    const value = kept.delete(key);
    if (value !== undefined) weight -= weightOf(value);
  }

  return {
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) kept.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      kept.set(key, value);
      weight += weightOf(value);
      for (let oldest = kept.oldest(); oldest && weight > most; oldest = kept.oldest()) remove(oldest.key);
    },
    delete: remove,
    clear() {
      kept.clear();
      weight = 0;
    },
  };
}
