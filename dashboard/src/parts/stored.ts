// Strings in localStorage, for example to remember that a card was hidden. If storage is blocked, a value lasts until the page is
// closed.
import { useState } from 'react';

const nameOf = (name: string): string => `tintype ${name}`;

export function readStored(name: string): string | undefined {
  try {
    return localStorage.getItem(nameOf(name)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeStored(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(nameOf(name));
    else localStorage.setItem(nameOf(name), value);
  } catch {
    // Blocked.
  }
}

export function useStored(name: string): [string | undefined, (value: string | undefined) => void] {
  const [value, setValue] = useState(() => readStored(name));
  return [
    value,
    (next) => {
      setValue(next);
      writeStored(name, next);
    },
  ];
}
