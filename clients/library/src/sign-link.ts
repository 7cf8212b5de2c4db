// Links that render when somebody opens them: signed here with a link key, or by the service.
import { callOf, checkBaseUrl, type CallOptions } from './call-options.ts';
import type { RenderRequest, Unlinked } from './contract.ts';
import { toSnake } from './letter-case.ts';
import type { Loose } from './options.ts';
import { badAnswer } from './results.ts';
import { send, type Sender } from './send.ts';

/**
 * Exactly one of `url`, `html` and `markdown`, and the fields of one output. Anyone can read a link, so it has no secrets; and it answers
 * with a file.
 */
export type LinkFields = Loose<Omit<RenderRequest, Unlinked | 'url' | 'outputs'>> & {
  url?: string | URL | undefined;
  /** Seconds for which a result is served before the page is rendered again, 60 to 2,592,000; default 86,400. */
  maxAge?: number | undefined;
  /** When the link ends. */
  validUntil?: string | Date | null | undefined;
};

export interface LinkSigner {
  /** Where links are: the service's address, or that of its bytes if it has one. Default: the environment variable TINTYPE_URL. */
  baseUrl?: string | URL | undefined;
  /** The id of a link key, which begins with lk_. */
  linkKey: string | undefined;
  /** Its secret, which begins with lksec_. */
  secret: string | undefined;
}

const maxCharacters = 8192;

/**
 * Signs a link without asking the service, which renders when somebody opens it.
 *
 * @example
 * const src = await signLink({ url: 'https://example.com/', maxAge: 3600 }, { baseUrl, linkKey, secret });
 * @throws {TypeError} if the link would be too long.
 */
export async function signLink(
  fields: LinkFields,
  { baseUrl, linkKey, secret }: LinkSigner,
): Promise<string> {
  const base = checkBaseUrl(baseUrl);
  if (!linkKey || !secret) throw new TypeError('linkKey and secret are missing; a link key has both');
  const bytes = new TextEncoder();
  const payload = base64url(bytes.encode(JSON.stringify(sorted(requestOf(fields)))));
  if (payload.length > maxCharacters)
    throw new TypeError(`the link is too long: ${payload.length} of at most ${maxCharacters} characters`);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), hmac, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, bytes.encode(`v2.${payload}`));
  return `${base}/r/${linkKey}/${payload}/${base64url(new Uint8Array(signature))}`;
}

export async function makeLink(sender: Sender, fields: LinkFields, options: CallOptions): Promise<string> {
  const { idempotencyKey: _key, ...call } = callOf(sender, options, 30_000);
  const body = JSON.stringify(requestOf(fields));
  const answer = await send(sender, {
    path: '/api/v2/links',
    body,
    contentType: 'application/json',
    ...call,
  });
  const url = (answer.json as { url?: unknown } | null | undefined)?.url;
  if (typeof url !== 'string') throw badAnswer(answer);
  return url;
}

function requestOf({ url, validUntil, ...fields }: LinkFields): object {
  return {
    ...(url !== undefined && { url: String(url) }),
    ...(toSnake(fields) as object),
    ...(validUntil && { valid_until: new Date(validUntil).toISOString() }),
  };
}

/** As the service writes it, so that the same request always has the same link. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
