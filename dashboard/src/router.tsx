// The router: path and query of the current URL, and links that navigate without a reload.
import { useEffect, type ComponentProps, type MouseEvent } from 'react';
import { createStore } from '#app/parts/store.ts';

const base = '/dashboard';
const whereNow = () => ({ path: location.pathname, search: location.search });
const place = createStore(whereNow());
const follow = (): void => place.set(whereNow());
window.addEventListener('popstate', follow);

const hrefOf = (path: string): string => `${base}${path === '/' ? '' : path}`;

export function navigate(path: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', hrefOf(path));
  follow();
}

/** The path inside the dashboard, `/` for its first page. */
export function usePath(): string {
  const path = place.use((now) => now.path);
  return path.slice(base.length).replace(/\/$/, '') || '/';
}

/** The query of the URL, and a function that changes parts of it; an empty value removes a part. */
export function useSearch(): [URLSearchParams, typeof patchSearch] {
  const search = place.use((now) => now.search);
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
  follow();
}

export function Redirect({ to }: { to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}

/** What makes an anchor a link inside the dashboard. */
export const linkTo = (to: string, onClick: ComponentProps<'a'>['onClick']) => ({
  href: hrefOf(to),
  onClick(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event);
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(to);
  },
});

export function Link({ to, onClick, ...rest }: ComponentProps<'a'> & { to: string }) {
  // The content is in `rest`.
  // oxlint-disable-next-line jsx-a11y/anchor-has-content
  return <a {...rest} {...linkTo(to, onClick)} />;
}
