// Idempotency-Key: a repeat of a request within 24 hours replays the stored answer and is not metered twice. Per account and
// endpoint. Only successes are remembered: anything else may be tried again.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { IdempotencyRow } from '#storage/schema.ts';
import type { Answer } from '#http/answer.ts';
import { callerOf } from '#http/guards.ts';

export const rememberMs = 24 * 60 * 60 * 1000;
/** Longer than a request can take: after it, the attempt is taken for dead and the request may run again. */
const attemptMs = limits.pdfTotalMs + limits.renderQueueMs + 30_000;
const pollMs = 100;

/** Writes the answer in the transaction that stores what it tells of. A byte body is that of the named render. */
export type Remember = (tables: Tables, answer: Answer, renderId?: string) => Promise<void>;

export type Idempotency = ReturnType<typeof createIdempotency>;

export function createIdempotency(parts: { database: Database; renderBlobs: Blobs; clock: Clock }) {
  const { database, renderBlobs, clock } = parts;
  const { idempotency } = database.tables;

  /** `content` is what the client asks for, in a form in which a repeat is the same. */
  async function once(
    request: FastifyRequest,
    content: unknown,
    run: (remember: Remember | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    const key = readKey(request);
    if (key === undefined) return run(undefined);
    const claim = newClaim(request, key, content);
    const earlier = await claimOrFind(claim, request);
    if (earlier) return earlier;
    try {
      const answer = await run(async (tables, given, renderId) => {
        await tables.idempotency.answer(claim.attempt, {
          status: given.status,
          headers: JSON.stringify(given.headers),
          body: renderId === undefined ? JSON.stringify(given.body) : null,
          render_id: renderId ?? null,
        });
      });
      if (answer.status >= 400) await idempotency.forget(claim.attempt);
      return answer;
    } catch (error) {
      await idempotency.forget(claim.attempt).catch(() => {});
      throw error;
    }
  }

  /** Undefined when this request is the one to run; waits while another attempt runs. */
  async function claimOrFind(claim: IdempotencyRow, request: FastifyRequest): Promise<Answer | undefined> {
    for (;;) {
      if (await idempotency.claim(claim)) return undefined;
      const found = await idempotency.find(claim);
      if (!found) continue;
      const now = clock.now();
      const isOver =
        found.created_at <= now - rememberMs || (found.status === null && found.locked_until <= now);
      if (isOver) {
        await idempotency.forget(found.attempt);
        continue;
      }
      if (found.fingerprint !== claim.fingerprint) {
        throw invalid('Idempotency-Key', 'already used for a request with other content');
      }
      const answer = found.status === null ? undefined : await replay(found);
      if (answer) return answer;
      if (found.status !== null) await idempotency.forget(found.attempt);
      if (request.raw.destroyed && !request.raw.complete) throw invalid('body', 'the connection closed');
      await sleep(pollMs);
    }
  }

  async function replay({ status, headers, body, render_id }: IdempotencyRow): Promise<Answer | undefined> {
    const bytes = render_id === null ? undefined : await readBlob(renderBlobs, render_id);
    if (render_id !== null && !bytes) return undefined;
    return {
      status: status ?? 200,
      headers: { ...(JSON.parse(headers ?? '{}') as Record<string, string>), 'idempotent-replayed': 'true' },
      body: bytes ?? (JSON.parse(body ?? 'null') as object),
    };
  }

  function newClaim(request: FastifyRequest, key: string, content: unknown): IdempotencyRow {
    const now = clock.now();
    return {
      account_id: callerOf(request).accountId,
      endpoint: request.routeOptions.url ?? '',
      idempotency_key: key,
      fingerprint: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
      attempt: newId(),
      locked_until: now + attemptMs,
      created_at: now,
      status: null,
      headers: null,
      body: null,
      render_id: null,
    };
  }

  return {
    once,
    /** After a start on one machine: nobody runs the attempts from before it any more, so a repeat need not wait. */
    forgetAttemptsBefore: idempotency.forgetUnanswered,
    /** Drops answers that are past their day. */
    sweep: (): Promise<void> => idempotency.purge(clock.now() - rememberMs),
  };
}

function readKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalid('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
}
