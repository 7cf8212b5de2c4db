// Receives the bytes of a body, and finds out if the rest of it will never come.
import type { IncomingMessage } from 'node:http';
import { invalid } from '#core/errors.ts';
import { valueOf } from '#http/body/header-value.ts';
import { onBrokenBody } from '#http/connection/broken-body.ts';

const idleMs = 30_000;

/** Refuses other content types, and a compressed body, which would otherwise be reported as malformed. */
export function requireType(
  { headers }: IncomingMessage,
  type: string,
  problem: (given: string) => string,
): void {
  const given = headers['content-type'] ?? '';
  if (valueOf(given) !== type) throw invalid('body', problem(JSON.stringify(given)));
  const encoding = headers['content-encoding']?.trim() ?? '';
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    throw invalid(
      'Content-Encoding',
      `${JSON.stringify(encoding.slice(0, 60))} is not supported; send the body without compression`,
    );
}

/**
 * `use` gets the bytes piece by piece. It may yield writes: the body is paused until each is done. After a failure the rest of the
 * body is read and discarded, so that the client can read the response.
 */
export function receiveBody(
  request: IncomingMessage,
  use: (bytes: Buffer) => Iterable<Promise<void>>,
  { totalMs }: { totalMs?: number } = {},
) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let hasFailed = false;
  const idle = setTimeout(() => refuse(`no data for ${idleMs / 1000} seconds`), idleMs);
  const total = totalMs && setTimeout(() => refuse(`not complete after ${totalMs / 1000} seconds`), totalMs);

  request.on('data', (chunk: Buffer) => {
    if (hasFailed) return;
    idle.refresh();
    try {
      proceed(use(chunk)[Symbol.iterator]());
    } catch (error) {
      fail(error);
    }
  });
  request.on('end', resolve);
  // A client that disconnects gets no response, but what is kept of its body must be deleted.
  request.on('close', () => {
    if (!request.complete) refuse('the connection closed before its end');
  });
  request.on('error', ({ message }) => refuse(`unreadable (${message})`));
  onBrokenBody(request, refuse);

  return {
    fail,
    ended: promise.finally(() => {
      clearTimeout(idle);
      clearTimeout(total);
    }),
  };

  function proceed(writes: Iterator<Promise<void>>): void {
    const { done, value } = writes.next();
    if (done === true) {
      if (request.isPaused()) request.resume();
      return;
    }
    request.pause();
    value
      .then(() => {
        if (!hasFailed) proceed(writes);
      })
      .catch(fail);
  }

  function refuse(reason: string): void {
    fail(invalid('body', reason));
  }

  function fail(error: unknown): void {
    hasFailed = true;
    reject(error);
    request.resume();
  }
}
