// A fetch that goes through the proxy of the environment: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. Node's own fetch takes no notice of them
// before version 24, and from then on only when asked.
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import type { Fetch } from '../../library/src/transport.ts';
import { UsageError } from './exit-codes.ts';

type Environment = Record<string, string | undefined>;

/** Undefined where no proxy is set for this address. */
export function proxyFetch(url: string, environment: Environment): Fetch | undefined {
  const proxy = proxyFor(new URL(url), environment);
  return proxy && ((address, init) => fetchThrough(proxy, new URL(address), init));
}

function proxyFor({ protocol, hostname, port }: URL, environment: Environment): URL | undefined {
  const read = (name: string): string => environment[name.toLowerCase()] || environment[name] || '';
  const given = protocol === 'https:' ? read('HTTPS_PROXY') : read('HTTP_PROXY');
  if (given === '' || isExempt(hostname, port, read('NO_PROXY'))) return undefined;
  const address = given.includes('://') ? given : `http://${given}`;
  if (!/^https?:/.test(address) || !URL.canParse(address))
    throw new UsageError('the proxy of the environment must begin with http:// or https://');
  return new URL(address);
}

/** `*`, a host, a domain with or without its dot, each with an optional port. */
function isExempt(hostname: string, port: string, list: string): boolean {
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', only] = /^\*?\.?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
      if (entry === '*') return true;
      return (hostname === name || hostname.endsWith(`.${name}`)) && (only === undefined || only === port);
    });
}

/** No agent in the tunnel: it would connect by itself. */
async function fetchThrough(proxy: URL, url: URL, init: RequestInit): Promise<Response> {
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
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? Readable.toWeb(incoming) : null, {
    status,
    headers: received,
  });
}

const requestTo = (proxy: URL, options: RequestOptions): ClientRequest =>
  (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
    ...options,
    host: proxy.hostname,
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    agent: false,
  });

const credentials = ({ username, password }: URL): Record<string, string> => {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
};

/** Asks the proxy for a line to the service, and speaks TLS with the service on it. */
function tunnel(
  proxy: URL,
  { hostname, port }: URL,
  signal: RequestInit['signal'],
): Promise<() => ReturnType<typeof tlsConnect>> {
  return new Promise((resolve, reject) => {
    const target = `${hostname}:${port || 443}`;
    const outgoing = requestTo(proxy, {
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...credentials(proxy) },
      ...(signal && { signal }),
    });
    outgoing.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200)
        return resolve(() => tlsConnect({ socket, host: hostname, servername: hostname }));
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
  // An error of the request is told where its answer is awaited.
  readable.once('error', (error) => outgoing.destroy(error));
  readable.pipe(outgoing);
}
