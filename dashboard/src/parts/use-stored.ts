// A small text that this browser remembers, such as that a card was put away.
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
        // A browser that keeps nothing: it holds until the page is left.
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
