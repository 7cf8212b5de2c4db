// Runs a render for a request, at most once for an Idempotency-Key, and answers with what a version of the interface makes of it.
// Spec 4.3, 4.4, 10.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createPhases, type Phases } from '#core/phases.ts';
import type { Caller } from '#accounts/authenticate.ts';
import type { QuotaState } from '#metering/quota.ts';
import type { CachedRenders } from '#renders/cached-renders.ts';
import type { CacheHit } from '#renders/results.ts';
import type { AlsoRecord, FinishedRender } from '#renders/record-render.ts';
import type { Renders } from '#renders/render.ts';
import type { AcceptedRender, AskedJob, RenderJobs } from '#renders/render-jobs.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import type { StoredRender } from '#renders/stored-render.ts';
import type { Answer } from '#http/answer.ts';
import { callerOf } from '#http/guards.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';
import { rememberMs, type Idempotency } from '#http/idempotency.ts';
import { quotaHeaders } from '#http/reply-headers.ts';

export interface RenderParts {
  renders: Renders;
  cachedRenders: CachedRenders;
  renderJobs: RenderJobs;
  idempotency: Idempotency;
  contentBaseUrl: string;
}

/** Where an earlier result may answer. */
interface CacheUse {
  key: string;
  maxAgeMs: number;
  toAnswer: (hit: CacheHit) => Answer;
}

export interface AskedRender {
  render: RenderRequest;
  /** Identifies what the client asks for: it is equal for a repeat. */
  content: unknown;
  sizeBytes?: number;
  cache?: CacheUse | undefined;
}

/** A repeat of a hosted render gets its answer without texts. */
export async function runRender(
  { renders, cachedRenders, idempotency }: RenderParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { render, content, sizeBytes, cache }: AskedRender,
  toAnswer: (finished: FinishedRender) => Answer,
): Promise<Answer> {
  const { isHosted } = render;
  const phases = createPhases();
  request.notes = { phases, made: [] };
  const answer = await idempotency.once(
    request,
    reply,
    content,
    async (remember) => {
      const payer = callerOf(request);
      const keepMs = Math.max(remember ? rememberMs : 0, cache?.maxAgeMs ?? 0);
      const identified = { ...render, requestId: request.id };
      const asked = keepMs > 0 && !isHosted ? { ...identified, keepMs } : identified;
      // A client that disconnects frees its slot at once.
      const signal = hangUpSignal(request, reply);
      const record: AlsoRecord = async (tables, done) => {
        if (isHosted) await remember?.(tables, toAnswer(withoutTexts(done)));
        else await remember?.(tables, toAnswer(done), done.id);
      };
      if (!cache) return answerOf(await renders.renderNow(payer, asked, signal, record, phases));
      const cached = { ...asked, cacheKey: cache.key, maxAgeMs: cache.maxAgeMs };
      const outcome = await cachedRenders.findOrRender(payer, cached, signal, record, phases);
      if ('made' in outcome) return answerOf(outcome.made);
      const { hit } = outcome;
      try {
        if (remember && !isHosted) await cachedRenders.keep(payer, hit, rememberMs);
        await remember?.(undefined, cache.toAnswer(withoutTexts(hit)), isHosted ? undefined : hit.id);
      } catch (error) {
        hit.bytes?.[Symbol.dispose]();
        throw error;
      }
      return cache.toAnswer(hit);
    },
    sizeBytes,
  );
  const timing = serverTiming(phases);
  if (timing !== '') reply.header('server-timing', timing);
  return answer;

  function answerOf(finished: FinishedRender): Answer {
    request.notes = { phases, made: [finished.id] };
    return toAnswer(finished);
  }
}

/** Queues a render for a request, at most once for an Idempotency-Key. */
export async function queueRender(
  { renderJobs, cachedRenders, idempotency }: RenderParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { job, content, sizeBytes, cache }: Omit<AskedRender, 'render'> & { job: AskedJob },
  toBody: (accepted: AcceptedRender) => object,
): Promise<Answer> {
  const toAnswer = (accepted: AcceptedRender): Answer => ({
    ...jsonAnswer(accepted, toBody(accepted)),
    status: 202,
  });
  request.notes = { phases: createPhases(), made: [], isQueued: true };
  return idempotency.once(
    request,
    reply,
    content,
    async (remember) => {
      const payer = callerOf(request);
      const signal = hangUpSignal(request, reply);
      const hit = cache && (await earlier(payer, cache, signal));
      if (hit) {
        await remember?.(undefined, { ...cache.toAnswer(withoutTexts(hit)), status: 202 });
        return { ...cache.toAnswer(hit), status: 202 };
      }
      const identified = { ...job, request: { ...job.request, requestId: request.id } };
      const accepted = await renderJobs.accept(payer, identified, signal, async (tables, queued) =>
        remember?.(tables, toAnswer(queued)),
      );
      request.notes = { phases: createPhases(), made: [accepted.id], isQueued: true };
      return toAnswer(accepted);
    },
    sizeBytes,
  );

  /** A result that is there already: nothing has to be queued for it. */
  async function earlier(payer: Caller, { key, maxAgeMs }: CacheUse, signal: AbortSignal) {
    const webhookUrl = await renderJobs.checkWebhook(payer.accountId, job.webhookUrl, signal);
    return cachedRenders.answerQueued(payer, { ...job.request, cacheKey: key, maxAgeMs }, webhookUrl, signal);
  }
}

/** Five megabytes of text are stored with the render, and not again with the response. */
const withoutTexts = <T extends StoredRender>(render: T): T => ({
  ...render,
  outputs: render.outputs.map((output) => ({ ...output, text: null })),
});

/** The bytes of the only output. */
export function bytesAnswer(
  {
    id,
    bytes,
    outputs,
    durationMs,
    quota,
  }: Pick<CacheHit, 'id' | 'bytes' | 'outputs' | 'durationMs'> & { quota?: QuotaState },
  headers: Answer['headers'] = {},
): Answer {
  const [output] = outputs;
  if (!output || !bytes) throw new Error(`the render ${id} has no bytes to send`);
  return {
    status: 200,
    headers: {
      ...(quota && quotaHeaders(quota)),
      'content-type': output.contentType,
      'content-length': output.sizeBytes,
      'x-service-id': id,
      'x-service-duration-ms': durationMs ?? 0,
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    blob: bytes,
  };
}

export const jsonAnswer = ({ quota }: { quota?: QuotaState }, body: object): Answer => ({
  status: 200,
  headers: { ...(quota && quotaHeaders(quota)), 'content-type': 'application/json; charset=utf-8' },
  body,
});

/** Empty for a replayed response, which did not render. */
const serverTiming = ({ measuredMs }: Phases): string =>
  Object.entries(measuredMs)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(', ');
