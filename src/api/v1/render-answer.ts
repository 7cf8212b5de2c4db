// Shared by both render endpoints of version 1: bytes, or metadata of the hosted file. Spec 4.3, 4.4.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RenderRequest } from '#renders/render-request.ts';
import { sendAnswer } from '#http/answer.ts';
import { renderPath } from '#http/addresses.ts';
import { bytesAnswer, jsonAnswer, runRender, type RenderParts } from '#api/run-render.ts';

export async function answerRender(
  parts: RenderParts,
  request: FastifyRequest,
  reply: FastifyReply,
  given: Pick<RenderRequest, 'job' | 'options' | 'isHosted'>,
): Promise<FastifyReply> {
  const render: RenderRequest = { ...given, version: 1, reference: null, expiresInSeconds: undefined };
  const { isHosted, options, job } = render;
  const url = job.source.kind === 'url' ? job.source.url : '';
  const content = { url, isHosted, options };
  const answer = await runRender(parts, request, reply, { render, content }, (finished) => {
    if (finished.bytes) return bytesAnswer(finished);
    const { id, outputs, durationMs } = finished;
    const { format, sizeBytes } = outputs[0]!;
    return jsonAnswer(finished, {
      id,
      url: parts.contentBaseUrl + renderPath(format, id),
      ...options,
      duration_ms: durationMs,
      size_bytes: sizeBytes,
    });
  });
  return sendAnswer(request, reply, answer);
}
