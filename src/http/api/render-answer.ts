// Shared by both render endpoints: runs a render for a request, and answers with bytes or metadata. Spec 4.3, 4.4.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createPhases, type Phases } from '#core/phases.ts';
import { renderPath } from '#http/links.ts';
import type { FinishedRender, RenderRequest, Renders } from '#renders/render.ts';
import { sendAnswer, type Answer } from '#http/answer.ts';
import { callerOf } from '#http/guards.ts';
import { hangUpSignal } from '#http/connection/hang-up.ts';
import { rememberMs, type Idempotency } from '#http/idempotency.ts';
import { quotaHeaders } from '#http/reply-headers.ts';

export interface RenderParts {
  renders: Renders;
  idempotency: Idempotency;
  contentBaseUrl: string;
}

export async function answerRender(
  { renders, idempotency, contentBaseUrl }: RenderParts,
  request: FastifyRequest,
  reply: FastifyReply,
  render: RenderRequest,
): Promise<FastifyReply> {
  const { isHosted, options, url } = render;
  const phases = createPhases();
  request.notes = { phases, made: [] };
  const answer = await idempotency.once(request, reply, { url, isHosted, options }, async (remember) => {
    const finished = await renders.render(
      callerOf(request),
      remember && !isHosted ? { ...render, keepMs: rememberMs } : render,
      // A client that disconnects frees its slot at once.
      hangUpSignal(request, reply),
      async (tables, done) => remember?.(tables, toAnswer(done), isHosted ? undefined : done.id),
      phases,
    );
    request.notes = { phases, made: [finished.id] };
    return toAnswer(finished);
  });
  const timing = serverTiming(phases);
  if (timing !== '') reply.header('server-timing', timing);
  return sendAnswer(request, reply, answer);

  function toAnswer({ id, bytes, sizeBytes, contentType, durationMs, quota }: FinishedRender): Answer {
    if (bytes) {
      return {
        status: 200,
        headers: {
          ...quotaHeaders(quota),
          'content-type': contentType,
          'content-length': sizeBytes,
          'x-service-id': id,
          'x-service-duration-ms': durationMs,
          'x-content-type-options': 'nosniff',
        },
        blob: bytes,
      };
    }
    return {
      status: 200,
      headers: { ...quotaHeaders(quota), 'content-type': 'application/json; charset=utf-8' },
      body: {
        id,
        url: contentBaseUrl + renderPath(render.kind, id),
        ...options,
        duration_ms: durationMs,
        size_bytes: sizeBytes,
      },
    };
  }
}

/** Empty for a replayed response, which did not render. */
const serverTiming = ({ measuredMs }: Phases): string =>
  Object.entries(measuredMs)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(', ');
