// Takes away the background that the browser itself gives a page: white, or black in a dark colour scheme.
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';

/** What the page itself draws behind its content stays. */
export async function withoutBackground<T>(
  { session }: Page,
  isOmitted: boolean,
  work: () => Promise<T>,
): Promise<T> {
  if (!isOmitted) return await work();
  const color = { r: 0, g: 0, b: 0, a: 0 };
  ignore(session.send('Emulation.setDefaultBackgroundColorOverride', { color }));
  try {
    return await work();
  } finally {
    ignore(session.send('Emulation.setDefaultBackgroundColorOverride', {}));
  }
}
