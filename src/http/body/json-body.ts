// Reads and validates a JSON body.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Static, TObject } from 'typebox';
import { invalid } from '#core/errors.ts';
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
  return validate(schema, await readJson(request)) as Filled<Static<T>>;
}

/** The body as it is, not yet validated. */
export async function readJson(
  request: IncomingMessage,
  options?: Parameters<typeof parseJson>[1],
): Promise<unknown> {
  requireType(
    request,
    'application/json',
    (given) => `must be application/json, not ${given}; set the Content-Type header`,
  );
  return parseJson(await readAll(request), options);
}

/** A body of at most 64 KB. */
export async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await receiveBody(request, (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw invalid('body', `larger than ${maxBytes} bytes`);
    chunks.push(chunk);
    return [];
  }).ended;
  return Buffer.concat(chunks);
}

/** The value of a JSON text. If it `holdsSecrets`, the message does not quote it. */
export function parseJson(bytes: Buffer, { holdsSecrets = false } = {}): unknown {
  if (!isUtf8(bytes)) throw invalid('body', 'malformed JSON (not valid UTF-8)');
  const text = bytes.toString('utf8');
  if (text.trim() === '') throw invalid('body', 'empty; send a JSON object');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const { message } = error as Error;
    const shown = holdsSecrets ? message.replace(/, [."][^]*/, '') : message.slice(0, 120);
    throw invalid('body', `malformed JSON (${shown})`);
  }
}
