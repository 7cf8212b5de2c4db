// What tells two requests of an account apart for the cache: a digest of the job that they come down to, with every default applied
// and without what only delivers the result or words a message, which is no part of the job. Secrets are part of it, so it is keyed: the column reveals nothing. V2 2.
import { createHmac, hash } from 'node:crypto';
import type { Database } from '#storage/database.ts';
import type { Source } from '#browser/job.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { installationSecret } from '#accounts/installation-secret.ts';
import type { RenderRequest } from '#renders/render-request.ts';

/** The files that came with a request, each by what identifies it. */
export type FileDigests = string[][];

export type CacheKeyOf = ReturnType<typeof createCacheKeys>;

export function createCacheKeys({ database }: { database: Database }) {
  let secret: string | undefined;
  return async (
    { accountId, allowedHosts }: Pick<Caller, 'accountId' | 'allowedHosts'>,
    job: RenderRequest['job'],
    files: FileDigests = [],
  ): Promise<string> => {
    secret ??= await installationSecret(database);
    // A result may show what a private host has said, so it answers only while the account has the same ones.
    const grants = allowedHosts === '' ? '' : `granted ${allowedHosts}\n`;
    return createHmac('sha256', secret)
      .update(`render cache\n${accountId}\n${grants}${canonicalText(job, files)}`)
      .digest('base64url');
  };
}

/** Equal for requests that ask for the same result. */
export function canonicalText(job: RenderRequest['job'], files: FileDigests = []): string {
  return sortedJson({ ...job, source: canonicalSource(job.source, files) });
}

function canonicalSource(source: Source, files: FileDigests): object {
  if (source.kind === 'url') return { kind: 'url', url: URL.parse(source.url)?.href ?? source.url };
  const { kind, text, baseUrl } = source;
  const address = baseUrl === null ? null : (URL.parse(baseUrl)?.href ?? baseUrl);
  const named = files.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const digest = typeof text === 'string' ? hash('sha256', text) : text.sha256;
  return { kind, text: digest, baseUrl: address, files: named };
}

/** JSON in which the order of the names of an object makes no difference. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
