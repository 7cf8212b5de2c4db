// Reads requests to a proxy and decides which of their headers are forwarded. RFC 9110 7.6.1, RFC 9112 3.2 and 6.
import { STATUS_CODES } from 'node:http';
import { type Authority, parseAuthority } from '#wall/canonical-host.ts';

/** Marks a response as the door's own. A header of this name from an upstream is dropped, so that no page can forge it. */
export const egressHeader = 'x-tintype-egress';

export interface ProxyTarget extends Authority {
  /** The authority as the browser wrote it, for the Host header. */
  written: string;
  /** What the browser wrote after the authority, byte for byte. */
  path: string;
}

/** `http://host:port/path`, as a browser sends it to a proxy. No userinfo, no other scheme, no origin-form. */
export function parseAbsoluteForm(requestTarget: string): ProxyTarget | undefined {
  const [, written = '', rest = ''] = /^http:\/\/([^/?#]+)([/?][^#]*)?$/i.exec(requestTarget) ?? [];
  const authority = parseAuthority(written, 80);
  return authority && { ...authority, written, path: rest.startsWith('/') ? rest : `/${rest}` };
}

const hopByHop = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  egressHeader,
]);

/** Names that one Connection header may list; those after them are forwarded. Servers list one to three. */
const maxListed = 100;

/** Host is that of the target, whatever the request contained (RFC 9112 3.2.2). This hop has already answered Expect. */
export function requestHeaders(rawHeaders: readonly string[], target: ProxyTarget): string[] {
  return ['Host', target.written, ...endToEnd(rawHeaders, ['host', 'expect'])];
}

export const responseHeaders = (rawHeaders: readonly string[]): string[] => endToEnd(rawHeaders, []);

function endToEnd(rawHeaders: readonly string[], without: readonly string[]): string[] {
  const keys: string[] = [];
  const dropped = new Set([...hopByHop, ...without]);
  let isChunked = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [key, value] = [rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!];
    keys.push(key);
    if (key === 'connection')
      for (const name of value.toLowerCase().split(/[\s,]+/, maxListed)) dropped.add(name);
    if (key === 'transfer-encoding') isChunked ||= /\bchunked\s*$/i.test(value);
  }
  // Framing headers are kept even if Connection lists them. If chunks and a length contradict each other, chunks were read.
  const framing = isChunked ? 'transfer-encoding' : 'content-length';
  const isKept = (key: string, name: string, value: string): boolean => {
    if (key === 'transfer-encoding' || key === 'content-length') return key === framing;
    return !dropped.has(key) && isSendable(name, value);
  };
  return keys.flatMap((key, index) => {
    const [name, value] = [rawHeaders[2 * index]!, rawHeaders[2 * index + 1]!];
    return isKept(key, name, value) ? [name, value] : [];
  });
}

const headerName = /^[!#$%&'*+.^_`|~\w-]+$/;
// oxlint-disable-next-line no-control-regex
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Responses are parsed leniently, as browsers do; anything that could split the forwarded response in two is dropped here. Node's
 * own checks of the same rules throw, which takes 15 ms for 2,000 such headers.
 */
const isSendable = (name: string, value: string): boolean => headerName.test(name) && !unsendable.test(value);

/** The head of a response on a socket that the server has handed over. */
export function formatHead(status: number, headers: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}\r\n`;
}
