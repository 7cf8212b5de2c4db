// A fetch that uses the environment's proxy: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. Node's own fetch ignores them before version 24, and
// needs a flag from then on.
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import type { Fetch } from '../../library/src/transport.ts';
import { UsageError } from './terminal.ts';

type Environment = Record<string, string | undefined>;

/** Undefined if no proxy is set for this address. */
export function proxyFetch(url: string, environment: Environment): Fetch | undefined {
  const proxy = proxyFor(new URL(url), environment);
  return proxy && ((address, init) => fetchThrough(proxy, new URL(address), init));
}

/** Without the brackets of an IPv6 address, as a socket takes it. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
const portOf = ({ protocol, port }: URL): string => port || (protocol === 'https:' ? '443' : '80');

function proxyFor(url: URL, environment: Environment): URL | undefined {
  const read = (name: string): string => environment[name.toLowerCase()] || environment[name] || '';
  const given = url.protocol === 'https:' ? read('HTTPS_PROXY') : read('HTTP_PROXY');
  if (given === '' || isExempt(hostOf(url), portOf(url), read('NO_PROXY'))) return undefined;
  const address = given.includes('://') ? given : `http://${given}`;
  if (!/^https?:/.test(address) || !URL.canParse(address))
    throw new UsageError('HTTP_PROXY and HTTPS_PROXY must begin with http:// or https://');
  return new URL(address);
}

/** `*`, a host, a domain with or without its dot, an IP address, each with an optional port; IPv6 with a port has brackets. */
function isExempt(host: string, port: string, list: string): boolean {
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*' || entry === host) return true;
      const [, address, plain, only] = /^\*?\.?(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
      const name = address ?? plain ?? '';
      return (host === name || host.endsWith(`.${name}`)) && (only === undefined || only === port);
    });
}

/** Without an agent in the tunnel, because an agent would open its own connection. */
async function fetchThrough(proxy: URL, url: URL, init: RequestInit, redirects = 5): Promise<Response> {
  const headers = init.headers as Record<string, string>;
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers,
    ...(init.signal && { signal: init.signal }),
  };
  const outgoing =
    url.protocol === 'https:'
      ? httpsRequest(url, {
          ...options,
          createConnection: await tunnel(proxy, url, init.signal),
        })
      : requestTo(proxy, {
          ...options,
          path: url.href,
          headers: { ...headers, host: url.host, ...credentials(proxy) },
        });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
  });
  await sendBody(outgoing, init.body);
  const incoming = await answered;
  const received = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2)
    received.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  const status = incoming.statusCode ?? 502;
  const { location } = incoming.headers;
  if (
    init.redirect === 'follow' &&
    status >= 300 &&
    status < 400 &&
    location !== undefined &&
    redirects > 0
  ) {
    incoming.resume();
    return fetchThrough(proxy, new URL(location, url), init, redirects - 1);
  }
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null, {
    status,
    headers: received,
  });
}

const requestTo = (proxy: URL, options: RequestOptions): ClientRequest =>
  (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
    ...options,
    host: hostOf(proxy),
    port: portOf(proxy),
    agent: false,
  });

const credentials = ({ username, password }: URL): Record<string, string> => {
  if (username === '') return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
};

/** A password may have a % that encodes nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Opens a tunnel to the service through the proxy, and TLS with the service inside it. */
function tunnel(
  proxy: URL,
  url: URL,
  signal: RequestInit['signal'],
): Promise<() => ReturnType<typeof tlsConnect>> {
  return new Promise((resolve, reject) => {
    const target = `${url.hostname}:${portOf(url)}`;
    const host = hostOf(url);
    const outgoing = requestTo(proxy, {
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...credentials(proxy) },
      ...(signal && { signal }),
    });
    outgoing.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200)
        return resolve(() => tlsConnect({ socket, host, servername: isIP(host) === 0 ? host : '' }));
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} answered ${statusCode}`));
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

async function sendBody(outgoing: ClientRequest, body: RequestInit['body']): Promise<void> {
  if (body === undefined || body === null || typeof body === 'string') {
    outgoing.end(body ?? undefined);
    return;
  }
  if (body instanceof Blob) outgoing.setHeader('content-length', body.size);
  const stream = body instanceof Blob ? body.stream() : (body as ReadableStream<Uint8Array>);
  const readable = Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
  // Errors of the request are handled where its response is awaited.
  readable.once('error', (error) => outgoing.destroy(error));
  readable.pipe(outgoing);
}
