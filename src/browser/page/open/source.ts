// Where a page comes from, and what its own origin may know. v2 2 (source, access).
import type { Task } from '#browser/job.ts';
import { secretsOf, setCookies } from '#browser/page/open/access.ts';
import { documentOf } from '#browser/page/open/document-source.ts';
import { intercept } from '#browser/page/open/interception.ts';
import type { Page } from '#browser/page/page.ts';

/** Prepares the page for the source of the job, and resolves to the address to open. */
export async function openSource(
  page: Page,
  { source, access, changes }: Task,
  signal: AbortSignal,
): Promise<string> {
  const answers = source.kind === 'url' ? null : await documentOf(source, signal);
  const url = source.kind === 'url' ? source.url : answers!.url;
  await Promise.all([
    intercept(page, { answers, secrets: secretsOf(access, url), blockedKinds: changes.blockKinds }),
    setCookies(page, access.cookies, url),
  ]);
  return url;
}
