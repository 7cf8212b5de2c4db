// Idempotency-Key: a repeat of a request within 24 hours replays the stored response and is not metered twice. Per account and
// endpoint. Only successes are stored: anything else may be tried again.
import { createHash, createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sleep, type Clock } from '#core/clock.ts';
import { invalid, ServiceError } from '#core/errors.ts';
import { hashSecret, newId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { seal, unseal } from '#core/seal.ts';
import { createTally } from '#core/tally.ts';
import { wholeRange, type Blobs } from '#storage/blobs.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { IdempotencyRow } from '#storage/schema.ts';
import type { Answer } from '#http/answer.ts';
import { callerOf } from '#http/guards.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';

export const rememberMs = 24 * 60 * 60 * 1000;
/** Longer than a request can take: after it, the attempt counts as dead and the request may run again. */
const attemptMs = limits.renderTotalMs + limits.renderQueueMs + 30_000;
/** How often an attempt on another machine is checked: soon at first, then less often. */
const poll = { firstMs: 100, maxMs: 1_000 };
/** Repeats of one account that may wait in this process at the same time, if each is as small as those of version 1. */
export const maxWaiting = 200;
/** A larger one counts as several: while it waits, its documents are in memory. */
const repeatBytes = 64 * 1024;

/**
 * Writes the response in the transaction that stores what it reports; in none if nothing is stored. If `renderId` is given, the body is
 * that render's bytes.
 */
type Remember = (tables: Tables | undefined, answer: Answer, renderId?: string) => Promise<void>;

export type Idempotency = ReturnType<typeof createIdempotency>;

/** The row, and the secret that encrypts its body: the row has only a hash of the client's key. */
interface Claim {
  row: IdempotencyRow;
  secret: string;
}

export function createIdempotency(parts: { database: Database; renderBlobs: Blobs; clock: Clock }) {
  const { database, renderBlobs, clock } = parts;
  const { idempotency } = database.tables;
  const attempts = createAttempts(clock);

  /** `content` identifies what the client requests: it is equal for a repeat. `sizeBytes` is what it takes in memory. */
  async function once(
    request: FastifyRequest,
    reply: FastifyReply,
    content: unknown,
    run: (remember: Remember | undefined) => Promise<Answer>,
    sizeBytes = 0,
  ): Promise<Answer> {
    const key = readKey(request);
    if (key === undefined) return run(undefined);
    const claim = newClaim(request, key, content);
    return attempts.during(claim.row.attempt, async () => {
      if (!(await tryClaim(claim))) {
        const earlier = await findAnswer(claim, {
          accountId: claim.row.account_id,
          weight: Math.ceil(sizeBytes / repeatBytes) || 1,
          signal: hangUpSignal(request, reply),
          refusal: () => tooManyRepeats(reply),
        });
        if (earlier) return earlier;
      }
      return runAndRemember(claim, run);
    });
  }

  /** True for the only request that may run. */
  function tryClaim({ row }: Claim): Promise<boolean> {
    const now = clock.now();
    return idempotency.claim({ ...row, created_at: now, locked_until: now + attemptMs });
  }

  async function runAndRemember(
    { row: { attempt }, secret }: Claim,
    run: (remember: Remember) => Promise<Answer>,
  ): Promise<Answer> {
    // Only an attempt without a response is forgotten: if the database went away during the commit, the response may be stored.
    const forget = () => idempotency.forgetUnanswered(attempt).catch(() => {});
    try {
      const answer = await run(async (tables = database.tables, given, renderId) => {
        const isStillOurs = await tables.idempotency.answer(attempt, {
          status: given.status,
          headers: JSON.stringify(given.headers),
          body:
            renderId === undefined ? seal(secret, JSON.stringify('body' in given ? given.body : null)) : null,
          render_id: renderId ?? null,
        });
        // The attempt took too long, and a repeat has taken over: this one must not store anything.
        if (!isStillOurs) throw new Error('another attempt took over this Idempotency-Key');
      });
      if (answer.status >= 400) await forget();
      return answer;
    } catch (error) {
      await forget();
      throw error;
    }
  }

  /** Waits for another attempt and returns its response; undefined when this request must run after all. */
  async function findAnswer(claim: Claim, repeat: Repeat): Promise<Answer | undefined> {
    for (let pollMs = poll.firstMs; ; pollMs = Math.min(2 * pollMs, poll.maxMs)) {
      const found = await idempotency.find(claim.row);
      if (!found) {
        if (await tryClaim(claim)) return undefined;
        continue;
      }
      const now = clock.now();
      if (found.status === null && found.locked_until <= now) {
        await idempotency.forgetUnanswered(found.attempt);
        continue;
      }
      const isCurrent = found.created_at > now - rememberMs;
      if (isCurrent && found.fingerprint !== claim.row.fingerprint) {
        throw invalid('Idempotency-Key', 'already used for a request with other content');
      }
      // SQLite shows the answer of an attempt here before it is on disk; a replay must not come earlier than the attempt's own answer.
      if (found.status === null || attempts.has(found.attempt)) {
        await attempts.waitFor(found.attempt, pollMs, repeat);
        continue;
      }
      const answer = isCurrent ? await replay(found, claim.secret, renderBlobs) : undefined;
      if (answer) return answer;
      await idempotency.drop(found.attempt);
    }
  }

  return {
    once,
    /** After a start on a single machine: attempts from before the start have ended, so a repeat need not wait. */
    forgetAttemptsBefore: idempotency.forgetUnansweredBefore,
    /** Deletes responses older than 24 hours. */
    sweep: (): Promise<void> => idempotency.purge(clock.now() - rememberMs),
  };
}

/** A request that repeats an earlier one. */
interface Repeat {
  accountId: string;
  /** What it counts as while it waits. */
  weight: number;
  /** Aborts when the client has left. */
  signal: AbortSignal;
  /** For when too many wait. */
  refusal: () => ServiceError;
}

/** The attempts that run in this process, and the repeats that wait for an attempt anywhere. */
function createAttempts(clock: Clock) {
  /** By id; each resolves when it has ended. */
  const running = new Map<string, Promise<void>>();
  const waiting = createTally();
  return {
    has: (attempt: string): boolean => running.has(attempt),
    async during<T>(attempt: string, work: () => Promise<T>): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<void>();
      running.set(attempt, promise);
      try {
        return await work();
      } finally {
        running.delete(attempt);
        resolve();
      }
    },
    /** Waits until an attempt in this process has ended, or for a while if it runs on another machine. */
    async waitFor(attempt: string, pollMs: number, repeat: Repeat): Promise<void> {
      const { accountId, weight, signal } = repeat;
      if (waiting.of(accountId) + weight > maxWaiting) throw repeat.refusal();
      const left = new AbortController();
      const pauseMs = running.has(attempt) ? attemptMs : pollMs;
      await waiting.during(accountId, weight, async () => {
        const pause = sleep(clock, pauseMs, AbortSignal.any([signal, left.signal]));
        try {
          await Promise.race([pause, running.get(attempt) ?? pause]);
        } catch {
          throw invalid('body', 'the connection closed');
        } finally {
          left.abort();
        }
      });
    },
  };
}

function newClaim(request: FastifyRequest, key: string, content: unknown): Claim {
  const account_id = callerOf(request).accountId;
  const endpoint = request.routeOptions.url ?? '';
  const secret = JSON.stringify([account_id, endpoint, key]);
  return {
    secret,
    row: {
      account_id,
      endpoint,
      idempotency_key: hashSecret(secret),
      fingerprint: fingerprintOf(endpoint, secret, JSON.stringify(content)),
      attempt: newId(),
      locked_until: 0,
      created_at: 0,
      status: null,
      headers: null,
      body: null,
      render_id: null,
    },
  };
}

async function replay(
  { account_id, status, headers, body, render_id }: IdempotencyRow,
  secret: string,
  renderBlobs: Blobs,
): Promise<Answer | undefined> {
  const given = JSON.parse(headers ?? '{}') as Answer['headers'];
  const stored = { status: status ?? 200, headers: { ...given, 'idempotent-replayed': 'true' } };
  if (render_id === null) return { ...stored, body: JSON.parse(unseal(secret, body ?? '')) as object };
  const whole = wholeRange(Number(given['content-length']));
  const blob = await renderBlobs.open(render_id, whole, account_id);
  return blob && { ...stored, blob };
}

/**
 * Requests can have passwords, which a plain hash would let a thief of the database guess. Those of version 1 have none, and keep the
 * hash that is stored already.
 */
const fingerprintOf = (endpoint: string, secret: string, content: string): string =>
  (endpoint.startsWith('/api/v1/') ? createHash('sha256') : createHmac('sha256', secret))
    .update(content)
    .digest('hex');

function readKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalid('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
}

/** As for every `rate_limited`, Retry-After equals the reset of the request budget. */
function tooManyRepeats(reply: FastifyReply): ServiceError {
  return new ServiceError(
    'rate_limited',
    `Idempotency-Key: ${maxWaiting} repeats of this account are already waiting for the answer of their first attempt.`,
    { retryAfterSeconds: Number(reply.getHeader('x-service-ratelimit-reset') ?? 1) },
  );
}
