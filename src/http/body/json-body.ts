// Reads and validates a JSON body.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Static, TObject } from 'typebox';
import { invalid, ServiceError } from '#core/errors.ts';
import { receiveBody, requireType } from '#http/body/receive-body.ts';
import { validate } from '#http/body/validate.ts';

const maxBytes = 64 * 1024;

/** A body in which every field with a default is set. */
type Filled<T> = {
  [Name in keyof T]-?: T[Name] extends object | undefined
    ? Filled<NonNullable<T[Name]>>
    : NonNullable<T[Name]>;
};

/** The body with the schema's defaults filled in. */
export async function readJsonBody<T extends TObject>(
  request: IncomingMessage,
  schema: T,
): Promise<Filled<Static<T>>> {
  requireJson(request);
  return validate(schema, parseJson(await readAll(request))) as Filled<Static<T>>;
}

/** A body of version 2 as it is, not yet validated. */
export async function readJson(
  request: IncomingMessage,
  options?: Parameters<typeof parseJson>[1],
): Promise<unknown> {
  requireJson(request);
  const tooLarge = () => requestTooLarge('body', maxBytes, 'send a smaller one');
  return parseJson(await readAll(request, tooLarge), options);
}

const requireJson = (request: IncomingMessage): void =>
  requireType(
    request,
    'application/json',
    (given) => `must be application/json, not ${given}; set the Content-Type header`,
  );

/** Only version 2 has a code for it. */
export const requestTooLarge = (
  field: string,
  mostBytes: number,
  todo: string,
  together = '',
): ServiceError =>
  new ServiceError('request_too_large', `${together}larger than ${mostBytes} bytes; ${todo}`, {
    details: { field },
  });

/** A body of at most 64 KB. */
export async function readAll(
  request: IncomingMessage,
  tooLarge = () => invalid('body', `larger than ${maxBytes} bytes`),
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await receiveBody(request, (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
    return [];
  }).ended;
  return Buffer.concat(chunks);
}

/** The value of a JSON text. If it `holdsSecrets`, the message does not quote it. */
export function parseJson(bytes: Buffer, { holdsSecrets = false, field = 'body' } = {}): unknown {
  if (!isUtf8(bytes)) throw invalid(field, 'malformed JSON (not valid UTF-8)');
  const text = bytes.toString('utf8');
  if (text.trim() === '') throw invalid(field, 'empty; send a JSON object');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const { message } = error as Error;
    const shown = holdsSecrets ? message.replace(/, [."][^]*/, '') : message.slice(0, 120);
    throw invalid(field, `malformed JSON (${shown})`);
  }
}
