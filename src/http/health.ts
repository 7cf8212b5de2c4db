// Whether the process is alive, and whether what it stands on answers.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Browser } from '#browser/browser.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';

const answerWithinMs = 2_000;

export async function healthz(_request: FastifyRequest, reply: FastifyReply) {
  return reply.header('cache-control', 'no-store').send({ status: 'ok' });
}

export function readyz({
  database,
  uploadBlobs,
  browser,
}: {
  database: Database;
  uploadBlobs: Blobs;
  browser: Browser;
}) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const checks: [string, () => Promise<void>][] = [
      ['database', database.ping],
      ['storage', uploadBlobs.ping],
      ['browser', browser.check],
    ];
    const results = await Promise.all(
      checks.map(async ([name, check]): Promise<[string, 'ok' | 'failing']> => {
        try {
          await within(answerWithinMs, check());
          return [name, 'ok'];
        } catch (error) {
          request.log.warn({ err: error, check: name }, 'not ready');
          return [name, 'failing'];
        }
      }),
    );
    const isReady = results.every(([, result]) => result === 'ok');
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: isReady ? 'ready' : 'not ready', ...Object.fromEntries(results) });
  };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
