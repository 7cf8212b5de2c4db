// Turns a response into the result of a call.
import { errorFor, type TintypeError } from './errors.ts';
import { toCamel } from './letter-case.ts';
import type { HostedFile, RenderBytes, WithMeta } from './options.ts';
import { saveFile } from './save-file.ts';
import { isBatchBody, type Answer } from './send.ts';

export function resultOf(answer: Answer): object {
  if (typeof answer.json !== 'object' || answer.json === null) throw badAnswer(answer);
  // Every result has an id, or the month of the usage; a proxy's own {} or [] has neither.
  if (!isBatchBody(answer.json) && !('id' in answer.json) && !('month' in answer.json))
    throw badAnswer(answer);
  return toCamel(answer.json) as object;
}

export function bytesOf(answer: Answer, read: typeof fileOf = fileOf): WithMeta<RenderBytes> {
  const { headers } = answer;
  const duration = headers.get('x-service-duration-ms');
  return {
    id: headers.get('x-service-id') ?? '',
    durationMs: duration === null ? undefined : Number(duration),
    ...read(answer),
  };
}

export function fileOf(answer: Answer): WithMeta<HostedFile> {
  const file = anyFileOf(answer);
  const isPicture = /^(image\/(png|jpeg|webp|gif|avif|svg\+xml)|application\/pdf)$/.test(file.contentType);
  // Text of a page is hosted in a sandbox; the page of a proxy is not.
  const isSandboxed = /\bsandbox\b/.test(answer.headers.get('content-security-policy') ?? '');
  if (!isPicture && !isSandboxed) throw badAnswer(answer);
  return file;
}

/** A render may also be text. */
export function anyFileOf(answer: Answer): WithMeta<HostedFile> {
  const { headers, bytes, meta } = answer;
  return {
    bytes,
    contentType: headers.get('content-type') ?? '',
    save: (path, options) => saveFile(bytes, path, options),
    meta,
  };
}

export function badAnswer({ status, headers, meta }: Answer): TintypeError {
  const type = headers.get('content-type') ?? 'no content type';
  const message = `the service answered ${status} with ${type}, which is not a result`;
  const error = errorFor('bad_answer', message, { status, meta });
  error.attempts = meta.attempts;
  return error;
}
