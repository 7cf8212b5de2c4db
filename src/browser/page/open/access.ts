// What only the page's own origin may know: headers, cookies, a password. v2 2 (access).
import type { Protocol } from 'devtools-protocol';
import { RenderFailure } from '#browser/browser.ts';
import type { Access, Cookie } from '#browser/job.ts';
import type { Page } from '#browser/page/page.ts';
import { isRefusal } from '#browser/page/refusal.ts';

export interface Secrets {
  /** That get them. */
  readonly origins: string[];
  isOwn(url: string): boolean;
  /** All headers of the request with the secret ones; undefined if it is for another origin. */
  headersFor(
    request: Pick<Protocol.Network.Request, 'url' | 'headers'>,
  ): Protocol.Fetch.HeaderEntry[] | undefined;
}

/** Null if nothing has to be added to requests; cookies the browser keeps by itself. */
export function secretsOf({ headers, basicAuth }: Access, url: string): Secrets | null {
  const added = Object.entries(headers).map(([name, value]) => ({ name, value }));
  if (added.length === 0 && basicAuth === null) return null;
  // Given as an answer to the server's question, the browser would keep it and send it for third parties too.
  const password = basicAuth && { name: 'Authorization', value: basicAnswer(basicAuth) };
  // The browser keeps the Referer that it was about to send. Given one, it takes the whole of it along to other origins.
  const left = new Set([...added.map(({ name }) => name.toLowerCase()), 'referer']);
  const origins = originsOf(url);
  const isOwn = (address: string) => origins.includes(URL.parse(address)?.origin ?? '');
  return {
    origins,
    isOwn,
    headersFor(request) {
      if (!isOwn(request.url)) return undefined;
      const kept = Object.entries(request.headers)
        .filter(([name]) => !left.has(name.toLowerCase()))
        .map(([name, value]) => ({ name, value }));
      const sent = [...kept, ...added];
      const isAuthorized = sent.some(({ name }) => name.toLowerCase() === 'authorization');
      return password && !isAuthorized ? [...sent, password] : sent;
    },
  };
}

/** RFC 7617. */
function basicAnswer({ username, password }: NonNullable<Access['basicAuth']>): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The origin of the page. A site that redirects http to https on the default ports is the same one. */
export function originsOf(url: string): string[] {
  const { protocol, host, port, origin } = new URL(url);
  return protocol === 'http:' && port === '' ? [origin, `https://${host}`] : [origin];
}

const sameSiteOf = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

export async function setCookies({ session }: Page, cookies: Cookie[], url: string): Promise<void> {
  await Promise.all(
    cookies.map(async (cookie, index) => {
      const refused = (why: string) =>
        new RenderFailure('denied', `the cookie ${cookie.name} ${why}`, { field: `cookies[${index}]` });
      if (cookie.domain !== null && !isOfSite(cookie.domain, new URL(url).hostname))
        throw refused('has a domain outside the site of the page');
      await session
        .send('Network.setCookies', { cookies: [toParam(cookie, url)] })
        .catch((error: unknown) => {
          throw isRefusal(error) ? refused('is refused by the browser') : error;
        });
    }),
  );
}

/** The browser would set it for any site, but itself narrows one for a whole `co.uk` to the host of that name. */
function isOfSite(domain: string, host: string): boolean {
  const name = domain.replace(/^\./, '').toLowerCase();
  return name === host || host.endsWith(`.${name}`) || name.endsWith(`.${host}`);
}

function toParam(
  { name, value, domain, path, secure, httpOnly, sameSite }: Cookie,
  url: string,
): Protocol.Network.CookieParam {
  return {
    name,
    value,
    // A secure cookie cannot be set for http, though the page may be redirected to https.
    url: secure ? url.replace(/^http:/, 'https:') : url,
    // With the dot, its subdomains get it too.
    ...(domain !== null && { domain: `.${domain.replace(/^\./, '')}` }),
    path,
    secure,
    httpOnly,
    ...(sameSite !== null && { sameSite: sameSiteOf[sameSite] }),
  };
}
