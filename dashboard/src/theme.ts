// Light, dark, or as the system has it; remembered by this browser, and by none of the account's.
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const name = 'tintype theme';
const changed = new EventTarget();

function read(): Theme {
  try {
    const kept = localStorage.getItem(name);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

/** Before the first paint of the pages; the server's own pages do the same in theme.js. */
export function applyTheme(theme = read()): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
}

function choose(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(name);
    else localStorage.setItem(name, theme);
  } catch {
    // A browser that keeps nothing: it holds until the page is left.
  }
  applyTheme(theme);
  changed.dispatchEvent(new Event('change'));
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(
    (listener) => {
      changed.addEventListener('change', listener);
      return () => changed.removeEventListener('change', listener);
    },
    () => (document.documentElement.dataset['theme'] as Theme | undefined) ?? 'system',
  );
  return [theme, choose];
}
