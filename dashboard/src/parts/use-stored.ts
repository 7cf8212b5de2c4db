// A string in localStorage, for example to remember that a card was hidden.
import { useState } from 'react';

const nameOf = (name: string): string => `tintype ${name}`;

export function useStored(name: string): [string | undefined, (value: string | undefined) => void] {
  const [value, setValue] = useState(() => read(name));
  return [
    value,
    (next) => {
      setValue(next);
      try {
        if (next === undefined) localStorage.removeItem(nameOf(name));
        else localStorage.setItem(nameOf(name), next);
      } catch {
        // Storage is blocked: the value lasts until the page is closed.
      }
    },
  ];
}

function read(name: string): string | undefined {
  try {
    return localStorage.getItem(nameOf(name)) ?? undefined;
  } catch {
    return undefined;
  }
}
