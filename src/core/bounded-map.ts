// A map that evicts the least recently used entry when it is full, so that what clients send cannot grow memory without bound.
import { createByAge } from '#core/by-age.ts';

export type BoundedMap<Key, Value> = ReturnType<typeof createBoundedMap<Key, Value>>;

/** `max` is a number of entries, or a total weight if `weightOf` is given. */
export function createBoundedMap<Key, Value>(max: number, weightOf: (value: Value) => number = () => 1) {
  // By last use.
  const kept = createByAge<Key, Value>();
  let weight = 0;

  function remove(key: Key): void {
    const value = kept.delete(key);
    if (value !== undefined) weight -= weightOf(value);
  }

  return {
    get(key: Key): Value | undefined {
      const value = kept.get(key);
      if (value !== undefined) kept.set(key, value);
      return value;
    },
    set(key: Key, value: Value): void {
      remove(key);
      kept.set(key, value);
      weight += weightOf(value);
      for (let oldest = kept.oldest(); oldest && weight > max; oldest = kept.oldest()) remove(oldest.key);
    },
    delete: remove,
    clear(): void {
      kept.clear();
      weight = 0;
    },
  };
}
