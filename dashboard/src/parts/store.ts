// A value outside React that any code can change and that components follow.
import { useSyncExternalStore } from 'react';

export interface Store<Value> {
  get: () => Value;
  set: (next: Value) => void;
  /** What `select` returns must be the same object as long as the value is the same. */
  use: <Part>(select: (value: Value) => Part) => Part;
}

export function createStore<Value>(value: Value): Store<Value> {
  const listeners = new Set<() => void>();
  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: (select) => useSyncExternalStore(subscribe, () => select(value)),
  };
}
