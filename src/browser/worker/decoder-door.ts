// What the page that decodes pictures reaches instead of the network: an empty document, the original of the job under way, and a place for
// what it makes. No connection leads further.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '#core/ids.ts';
import { doorHost } from '#wall/door.ts';

/** One job, at an address that no other program of this machine can guess. */
interface Exchange {
  address: string;
  /** Resolves to what the page sends. */
  receive(maxBytes: number): Promise<Buffer>;
}

export interface DecoderDoor {
  host: string;
  port: number;
  /** Begins a job; the one before is over. */
  offer(original: { path: string; contentType: string }): Exchange;
  close(): Promise<void>;
}

// Browsers decode films and large pictures for documents of a secure origin only, and take this one for that.
const origin = 'http://localhost';
export const decoderDocument = `${origin}/`;
const documentHeaders = {
  'content-type': 'text/html',
  'content-security-policy': `default-src 'none'; img-src ${origin}; connect-src ${origin}`,
};

export async function openDecoderDoor(): Promise<DecoderDoor> {
  let offered: { address: string; path: string; contentType: string } | undefined;
  let awaited: { maxBytes: number; resolve: (sent: Buffer) => void } | undefined;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, url } = request;
    if (method === 'GET' && url === decoderDocument) {
      response.writeHead(200, documentHeaders).end('<!doctype html>');
    } else if (method === 'GET' && offered && url === offered.address) {
      response.setHeader('content-type', offered.contentType);
      // At once, with its length: in many pieces, the browser takes three times as long to receive it.
      readFile(offered.path).then(
        (bytes) => response.end(bytes),
        () => response.destroy(),
      );
    } else if (method === 'PUT' && awaited && url === offered?.address) take(request, response, awaited);
    else response.writeHead(403).end();
  }

  /** Into one buffer, because there may be 240 MB. */
  function take(
    request: IncomingMessage,
    response: ServerResponse,
    { maxBytes, resolve }: NonNullable<typeof awaited>,
  ): void {
    const bytes = Number(request.headers['content-length']);
    if (!(bytes <= maxBytes)) {
      response.writeHead(403).end();
      return;
    }
    awaited = undefined;
    const sent = Buffer.allocUnsafe(bytes);
    let filled = 0;
    request.on('data', (chunk: Buffer) => (filled += chunk.copy(sent, filled)));
    request.on('end', () => {
      response.end();
      resolve(sent.subarray(0, filled));
    });
  }

  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, answer);
  server.listen(0, doorHost);
  await once(server, 'listening');
  return {
    host: doorHost,
    port: (server.address() as AddressInfo).port,
    offer(original) {
      const address = `${origin}/${newId()}`;
      offered = { address, ...original };
      awaited = undefined;
      return {
        address,
        receive(maxBytes) {
          const { promise, resolve } = Promise.withResolvers<Buffer>();
          awaited = { maxBytes, resolve };
          return promise;
        },
      };
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
