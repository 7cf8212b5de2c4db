// What the page may know: headers, cookies and a password for its own origin. They are secret: no message repeats a value. Spec 10.
import { Type, type Static } from 'typebox';
import { invalid } from '#core/errors.ts';
import type { Access, Cookie as JobCookie } from '#browser/job.ts';
import { choice, flagOff, optional, strict, text } from '#api/fields.ts';
import { rowsOf } from '#api/v2/fields/row.ts';

const KiB = 1024;
const headerBytes = 4 * KiB;
const { secret } = rowsOf('access', 'Access');

const Cookie = Type.Object(
  {
    name: text(256, 'The name of the cookie.'),
    value: Type.String({ maxLength: 4 * KiB, description: 'The value of the cookie.' }),
    ...optional({
      domain: text(
        253,
        "The name whose subdomains get the cookie, too, such as example.com. Left out: the page's host alone.",
      ),
      path: text(1024, 'Send it for paths that begin with this.', { default: '/' }),
      secure: flagOff('Send it over https only.'),
      http_only: flagOff('Hide it from scripts.'),
      same_site: choice(['strict', 'lax', 'none'], {
        description: 'Whether requests that other sites cause carry it.',
      }),
    }),
  },
  strict,
);

const BasicAuth = Type.Object(
  {
    username: Type.String({ maxLength: 255, description: 'The user name.' }),
    password: Type.String({ maxLength: 1024, description: 'The password.' }),
  },
  { ...strict, description: "The user name and password that the page's own origin asks for." },
);

export const accessRows = {
  headers: secret(
    Type.Record(Type.String(), Type.String(), {
      maxProperties: 20,
      description: `Request headers for the page's own origin, at most 20, each value up to ${headerBytes} bytes.`,
    }),
    { lower: (headers) => ({ headers: checkHeaders(headers) }) },
  ),
  cookies: secret(Type.Array(Cookie, { maxItems: 50, description: "Cookies for the page's site." }), {
    lower: (cookies, { address = '' }) => ({
      cookies: cookies.map((cookie, index) => checkCookie(cookie, `cookies[${index}]`, address)),
    }),
  }),
  basic_auth: secret(BasicAuth, { lower: (given) => ({ basicAuth: checkBasicAuth(given) }) }),
};

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
/** The size of a name and a value together; browsers drop larger ones. RFC 6265 6.1. */
const cookieBytes = 4096;
/** Browsers refuse them in a value, or would leave them out. RFC 6265 4.1.1. */
const isNoCookieText = (text: string): boolean => /[;\t]|^ | $/.test(text) || hasControls.test(text);

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

function checkCookie(given: Static<typeof Cookie>, field: string, address: string): JobCookie {
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
function hostOf(text: string): string | undefined {
  if (/[\s/?#@:\\*]/.test(text)) return undefined;
  const host = URL.parse(`http://${text}`)?.hostname;
  return host === '' ? undefined : host;
}

/** Checks a host name that stands for its subdomains, too. */
export function listedHostOf(given: string, field: string): string {
  const host = hostOf(given.replace(/^\*?\.|\.$/g, ''));
  if (host !== undefined) return host;
  throw invalid(
    field,
    `must be a host name such as ads.example.com, not ${JSON.stringify(given.slice(0, 80))}`,
  );
}

function checkBasicAuth(given: Static<typeof BasicAuth>): Access['basicAuth'] {
  for (const [name, value] of Object.entries(given))
    if (hasControls.test(value)) throw invalid(`basic_auth.${name}`, 'has a control character');
  // RFC 7617 2.
  if (given.username.includes(':')) throw invalid('basic_auth.username', 'must not have a colon');
  return given;
}
