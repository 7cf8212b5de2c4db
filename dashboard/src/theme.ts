// The theme: light, dark, or the system's. It is stored in this browser, not in the account.
import { createStore } from '#app/parts/store.ts';
import { readStored, writeStored } from '#app/parts/stored.ts';

export type Theme = 'system' | 'light' | 'dark';

const chosen = createStore<Theme>('system');

/** Runs before the first paint. The pages that the server renders do the same in theme.js, with the same stored name. */
export function startTheme(): void {
  const kept = readStored('theme');
  apply(kept === 'light' || kept === 'dark' ? kept : 'system');
}

function apply(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
  const bars = document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]');
  for (const [index, scheme] of ['light', 'dark'].entries()) {
    const isShown = theme === scheme ? 'all' : 'not all';
    bars[index]!.media = theme === 'system' ? `(prefers-color-scheme: ${scheme})` : isShown;
  }
  chosen.set(theme);
}

function choose(theme: Theme): void {
  writeStored('theme', theme === 'system' ? undefined : theme);
  apply(theme);
}

export const useTheme = (): [Theme, (theme: Theme) => void] => [chosen.use((theme) => theme), choose];
