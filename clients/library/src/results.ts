// Turns a response into the result of a call.
import { TintypeError } from './errors.ts';
import { toCamel } from './letter-case.ts';
import type { HostedFile, RenderBytes, WithMeta } from './options.ts';
import { isBatchBody, type Answer } from './send.ts';

export function resultOf(answer: Answer): object {
  if (typeof answer.json !== 'object' || answer.json === null) throw badAnswer(answer);
  // Every result has an id or a plan; a proxy's own {} or [] has neither.
  if (!isBatchBody(answer.json) && !('id' in answer.json) && !('plan' in answer.json))
    throw badAnswer(answer);
  return toCamel(answer.json) as object;
}

export function bytesOf(answer: Answer): WithMeta<RenderBytes> {
  const { headers } = answer;
  const duration = headers.get('x-service-duration-ms');
  return {
    id: headers.get('x-service-id') ?? '',
    durationMs: duration === null ? undefined : Number(duration),
    ...fileOf(answer),
  };
}

export function fileOf(answer: Answer): WithMeta<HostedFile> {
  const { headers, bytes, meta } = answer;
  const contentType = headers.get('content-type') ?? '';
  if (!/^(image\/(png|jpeg|webp|gif|avif|svg\+xml)|application\/pdf)$/.test(contentType))
    throw badAnswer(answer);
  return { bytes, contentType, meta };
}

export function badAnswer({ status, headers, meta }: Answer): TintypeError {
  const type = headers.get('content-type') ?? 'no content type';
  const message = `the service answered ${status} with ${type}, which is not a result`;
  const error = new TintypeError('bad_answer', message, { status, meta });
  error.attempts = meta.attempts;
  return error;
}
