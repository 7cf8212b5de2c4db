// The router: path and query of the current URL, and links that navigate without a reload.
import { useSyncExternalStore, type ComponentProps, type MouseEvent } from 'react';

const base = '/dashboard';
const moved = new EventTarget();

const hrefOf = (path: string): string => `${base}${path === '/' ? '' : path}`;

export function navigate(path: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', hrefOf(path));
  moved.dispatchEvent(new Event('move'));
}

/** The path inside the dashboard, `/` for its first page. */
export function usePath(): string {
  const path = useSyncExternalStore(subscribe, () => location.pathname);
  return path.slice(base.length).replace(/\/$/, '') || '/';
}

/** The query of the URL, and a function that changes parts of it; an empty value removes a part. */
export function useSearch(): [URLSearchParams, typeof patchSearch] {
  const search = useSyncExternalStore(subscribe, () => location.search);
  return [new URLSearchParams(search), patchSearch];
}

export function patchSearch(
  patch: Record<string, string | undefined>,
  { replace = true }: { replace?: boolean } = {},
): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.size > 0 ? `?${next}` : '';
  history[replace ? 'replaceState' : 'pushState'](null, '', location.pathname + text);
  moved.dispatchEvent(new Event('move'));
}

export function Link({ to, onClick, ...rest }: ComponentProps<'a'> & { to: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(to);
  };
  // The content is in `rest`.
  // oxlint-disable-next-line jsx-a11y/anchor-has-content
  return <a {...rest} href={hrefOf(to)} onClick={follow} />;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener);
  moved.addEventListener('move', listener);
  return () => {
    window.removeEventListener('popstate', listener);
    moved.removeEventListener('move', listener);
  };
}
