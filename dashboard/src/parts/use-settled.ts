// Debounces a value by 250 ms, so that typing does not send a request for every letter.
import { useEffect, useState } from 'react';

const stillMs = 250;

export function useSettled<T extends object>(value: T): T {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState({ text, value });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ text, value: JSON.parse(text) as T }), stillMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled.value;
}
