// What every render of version 1 has in common: a page on the web, seen as its site shows it to everyone.
import { limits } from '#core/limits.ts';
import { noAccess, noChanges, plainView, type Viewport, type Waits } from '#browser/job.ts';

export const plainJob = (
  url: string,
  viewport: Viewport,
  waits: Pick<Waits, 'until' | 'settles' | 'delayMs'>,
) => ({
  source: { kind: 'url' as const, url },
  view: { ...plainView, ...viewport },
  access: noAccess,
  changes: noChanges,
  waits: { ...waits, for: [], failOn: [], navigationMs: limits.navigationMs },
});
