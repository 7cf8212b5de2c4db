// Whether the process is alive, and whether the parts it depends on respond.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inTime } from '#core/clock.ts';
import type { ServerParts } from '#server/parts.ts';

const answerWithinMs = 2_000;

export async function healthz(_request: FastifyRequest, reply: FastifyReply) {
  return reply.header('cache-control', 'no-store').send({ status: 'ok' });
}

export function readyz(parts: ServerParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const results = await runChecks(parts);
    for (const { name, error } of results)
      if (error) request.log.warn({ err: error, check: name }, 'not ready');
    const isReady = results.every(({ error }) => error === undefined);
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({
        status: isReady ? 'ready' : 'not ready',
        ...Object.fromEntries(results.map(({ name, error }) => [name, error ? 'failing' : 'ok'])),
      });
  };
}

/** Checks whether each part responds. */
export function runChecks({ database, uploads, browser, clock }: ServerParts) {
  const checks: [string, () => Promise<void>][] = [
    ['database', database.ping],
    ['storage', uploads.uploadBlobs.ping],
    ['browser', browser.check],
  ];
  return Promise.all(
    checks.map(async ([name, check]): Promise<{ name: string; error?: Error }> => {
      try {
        await inTime(clock, answerWithinMs, check());
        return { name };
      } catch (error) {
        return { name, error: error as Error };
      }
    }),
  );
}
