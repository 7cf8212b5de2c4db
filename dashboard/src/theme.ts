// The theme: light, dark, or the system's. It is stored in this browser, not in the account.
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

/** Runs before the first paint. The pages that the server renders do the same in theme.js. */
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
    // Storage is blocked: the choice lasts until the page is closed.
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
