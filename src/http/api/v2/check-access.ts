// The secrets of a request: headers, cookies and a password for the page's own origin. No message repeats a value. Spec 10.
import { invalid } from '#core/errors.ts';
import { noAccess, type Access, type Cookie } from '#browser/job.ts';
import { headerBytes } from '#http/api/v2/page-fields.ts';
import type { RenderRequest } from '#http/api/v2/schemas.ts';

/**
 * Those of one connection, those that frame a message, and those that the browser itself answers for. RFC 9110 7.6.1. It would take a
 * given Referer along to other origins, if it is redirected there.
 */
const reservedHeaders = [
  'connection',
  'content-length',
  'cookie',
  'cookie2',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
];
const token = /^[!#$%&'*+.^_`|~\w-]+$/;
// oxlint-disable-next-line no-control-regex
const hasControls = /[\u0000-\u0008\u000a-\u001f\u007f]/;
/** Of a name and a value together; browsers drop larger ones. RFC 6265 6.1. */
const cookieBytes = 4096;
/** Browsers refuse them in a value, or would leave them out. RFC 6265 4.1.1. */
const isNoCookieText = (text: string): boolean => /[;\t]|^ | $/.test(text) || hasControls.test(text);

/** `address` is that of `url` or `base_url`; undefined for a document without an address. */
export function accessOf(request: RenderRequest, address: string | undefined): Access {
  const { headers, cookies, basic_auth: basicAuth } = request;
  if (address === undefined) {
    const field = (['headers', 'cookies', 'basic_auth'] as const).find((name) => request[name] !== undefined);
    if (field === undefined) return noAccess;
    throw invalid(field, 'is sent to the origin of base_url only; send base_url too, or leave it out');
  }
  return {
    headers: headers === undefined ? {} : checkHeaders(headers),
    cookies: (cookies ?? []).map((cookie, index) => toCookie(cookie, `cookies[${index}]`, address)),
    basicAuth: basicAuth === undefined ? null : checkBasicAuth(basicAuth),
  };
}

function checkHeaders(headers: Record<string, string>): Record<string, string> {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    // The name is not repeated: the whole header may have been sent as its name.
    if (!token.test(name) || name.length > 256)
      throw invalid('headers', 'has a name that no header can have; send {"name": "value"}');
    const lower = name.toLowerCase();
    const field = `headers.${name}`;
    if (lower === 'cookie') throw invalid(field, 'is set by the browser; send cookies instead');
    if (lower === 'set-cookie') throw invalid(field, 'is for answers; send cookies instead');
    if (reservedHeaders.includes(lower) || /^(sec|proxy)-/.test(lower))
      throw invalid(field, 'is set by the browser; leave it out');
    if (seen.has(lower)) throw invalid(field, 'is given twice; the case of a name makes no difference');
    seen.add(lower);
    if (hasControls.test(value)) throw invalid(field, 'has a line break or another control character');
    if (Buffer.byteLength(value) > headerBytes) throw invalid(field, `is longer than ${headerBytes} bytes`);
  }
  return headers;
}

type GivenCookie = NonNullable<RenderRequest['cookies']>[number];

function toCookie(given: GivenCookie, field: string, address: string): Cookie {
  const { name, value, path = '/', secure = false, http_only: httpOnly = false, same_site } = given;
  if (!token.test(name))
    throw invalid(`${field}.name`, 'has a character that the name of a cookie cannot have');
  if (isNoCookieText(value))
    throw invalid(
      `${field}.value`,
      'has a semicolon, a control character or a space at either end; encode it',
    );
  if (Buffer.byteLength(name) + Buffer.byteLength(value) > cookieBytes)
    throw invalid(
      `${field}.value`,
      `is too long: a browser keeps at most ${cookieBytes} bytes of name and value`,
    );
  if (!path.startsWith('/') || isNoCookieText(path))
    throw invalid(
      `${field}.path`,
      'must begin with / and have no semicolon, control character or space at its end',
    );
  const domain = given.domain === undefined ? null : domainOf(given.domain, `${field}.domain`, address);
  const isSecureName = /^__(secure|host)-/i.test(name);
  if (!secure && (isSecureName || same_site === 'none'))
    throw invalid(
      `${field}.secure`,
      `must be true ${isSecureName ? 'for a name that begins with __Secure- or __Host-' : 'with same_site none'}`,
    );
  if (/^__host-/i.test(name) && (domain !== null || path !== '/'))
    throw invalid(
      domain === null ? `${field}.path` : `${field}.domain`,
      'must be left out for a name that begins with __Host-',
    );
  return { name, value, domain, path, secure, httpOnly, sameSite: same_site ?? null };
}

/** The page's host, a name above it, or one below it. That a name above it is no public suffix is the browser's to check. */
function domainOf(given: string, field: string, address: string): string {
  const domain = hostOf(given.replace(/^\./, ''));
  if (domain === undefined) throw invalid(field, 'is not a host name; send one such as example.com');
  const page = URL.parse(address)?.hostname;
  // render.ts says what is wrong with the address.
  if (page === undefined || page === domain) return domain;
  const isAddress = /^\[|^[\d.]+$/.test(page);
  const isAbove = domain.includes('.') && page.endsWith(`.${domain}`);
  if (isAddress || !(isAbove || domain.endsWith(`.${page}`)))
    throw invalid(
      field,
      `must be within the page's site; send ${page}, a name above or below it, or leave it out`,
    );
  return domain;
}

/** A host name as browsers write it; undefined if the text is more or less than that. */
export function hostOf(text: string): string | undefined {
  if (/[\s/?#@:\\*]/.test(text)) return undefined;
  const host = URL.parse(`http://${text}`)?.hostname;
  return host === '' ? undefined : host;
}

function checkBasicAuth(given: NonNullable<RenderRequest['basic_auth']>): Access['basicAuth'] {
  for (const [name, value] of Object.entries(given))
    if (hasControls.test(value)) throw invalid(`basic_auth.${name}`, 'has a control character');
  // RFC 7617 2.
  if (given.username.includes(':')) throw invalid('basic_auth.username', 'must not have a colon');
  return given;
}
