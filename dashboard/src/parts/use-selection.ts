// Which items of a list are selected. Those that a changed filter hides are not selected, so that nobody acts on
// something they cannot see.
import { useRef, useState } from 'react';

export interface Selection<Item> {
  /** All of them, those that are not loaded too. */
  ids: string[];
  /** The loaded ones. */
  items: Item[];
  has: (id: string) => boolean;
  /** With `isRange`, toggles everything from the last toggled item to this one. */
  toggle: (id: string, isRange: boolean) => void;
  all: () => void;
  put: (ids: string[]) => void;
  clear: () => void;
}

export function useSelection<Item extends { id: string }>(shown: Item[], filter: object): Selection<Item> {
  const scope = JSON.stringify(filter);
  const [state, setState] = useState<{ scope: string; ids: ReadonlySet<string> }>({ scope, ids: new Set() });
  const anchor = useRef<string>(undefined);
  const ids = state.scope === scope ? state.ids : new Set<string>();
  const put = (next: string[]) => setState({ scope, ids: new Set(next) });

  function toggle(id: string, isRange: boolean): void {
    const indexOf = (wanted: string | undefined) => shown.findIndex((item) => item.id === wanted);
    const [from, to] = [indexOf(anchor.current), indexOf(id)].toSorted((a, b) => a - b) as [number, number];
    if (isRange && from !== -1) put([...ids, ...shown.slice(from, to + 1).map((item) => item.id)]);
    else put(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]);
    anchor.current = id;
  }

  return {
    ids: [...ids],
    items: shown.filter(({ id }) => ids.has(id)),
    has: (id) => ids.has(id),
    toggle,
    all: () => put(shown.map(({ id }) => id)),
    put,
    clear: () => put([]),
  };
}
