// Files that a phone has shared with the installed dashboard. A service worker (share-worker.js, which says what it does) receives them and
// keeps them in this browser until the dashboard takes them.
import { shareTarget } from '#console/paths.ts';

const cacheName = 'tintype shared';

/** Sharing is an extra: a browser without workers, or one that blocks them, goes without it. */
export function startSharing(): void {
  navigator.serviceWorker
    ?.register('/dashboard/share-worker.js', { scope: shareTarget })
    .catch(() => undefined);
}

/** The kept files, which are then no longer kept. */
export async function takeShared(): Promise<File[]> {
  // Only pages over HTTPS, and those of localhost, have it.
  if (!('caches' in window)) return [];
  const kept = await caches.match(shareTarget, { cacheName });
  const form = await kept?.formData();
  await caches.delete(cacheName);
  return form?.getAll('file').filter((entry) => entry instanceof File) ?? [];
}
