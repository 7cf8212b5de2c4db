// From an answer to what a call gives.
import { TintypeError } from './errors.ts';
import { toCamel } from './letter-case.ts';
import type { RenderBytes, WithMeta } from './options.ts';
import { isBatchBody, type Answer } from './send.ts';

export function resultOf(answer: Answer): object {
  if (typeof answer.json !== 'object' || answer.json === null) throw badAnswer(answer);
  // Every single result has an id; a proxy's own {} or [] has none.
  if (!isBatchBody(answer.json) && !('id' in answer.json) && !('plan' in answer.json))
    throw badAnswer(answer);
  return toCamel(answer.json) as object;
}

export function bytesOf(answer: Answer): WithMeta<RenderBytes> {
  const { headers, bytes, meta } = answer;
  const contentType = headers.get('content-type') ?? '';
  if (!/^(image|application)\/(png|jpeg|webp|pdf)$/.test(contentType)) throw badAnswer(answer);
  const duration = headers.get('x-service-duration-ms');
  return {
    id: headers.get('x-service-id') ?? '',
    bytes,
    contentType,
    durationMs: duration === null ? undefined : Number(duration),
    meta,
  };
}

export function badAnswer({ status, headers, meta }: Answer): TintypeError {
  const type = headers.get('content-type') ?? 'no content type';
  const message = `the service answered ${status} with ${type} that is no result`;
  const error = new TintypeError('bad_answer', message, { status, meta });
  error.attempts = meta.attempts;
  return error;
}
