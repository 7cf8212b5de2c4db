// Reads an upload form as it streams in. The whole body is judged before anything is stored: a request-level failure
// stores nothing. Spec 4.1, 4.2.6.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { invalid, ServiceError } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Blobs } from '#storage/blobs.ts';
import { fileTooLarge, receiveFile, type FileReceiver, type ReceivedFile } from '#uploads/receive-file.ts';
import { onBrokenBody } from '#http/broken-body.ts';

export interface UploadForm {
  files: ReceivedFile[];
  expiresInSeconds: number | undefined;
  /** Drops what was spooled and not stored. */
  discard(): Promise<void>;
}

const idleMs = 30_000;
const totalMs = 4 * 60_000;
/** Far above what ten files and one field need: a body past it is not an upload form. */
const maxParts = 100;
const maxFieldBytes = 256;

export async function readUploadForm(
  request: IncomingMessage,
  blobs: Blobs,
  kind: 'single' | 'batch',
): Promise<UploadForm> {
  const receivers: FileReceiver[] = [];
  const discard = async () => {
    await Promise.all(receivers.map((receiver) => receiver.discard()));
  };
  try {
    const { files, expiresIn } = await parseForm(request, kind, (filename) => {
      const receiver = receiveFile(blobs, filename);
      receivers.push(receiver);
      return receiver;
    });
    if (files.length === 0) throw invalid('file', 'missing; send the image as a part named "file"');
    return { files, expiresInSeconds: parseExpiresIn(expiresIn), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

function parseForm(
  request: IncomingMessage,
  kind: 'single' | 'batch',
  receiverFor: (filename: string) => FileReceiver,
): Promise<{ files: ReceivedFile[]; expiresIn: string[] }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    files: ReceivedFile[];
    expiresIn: string[];
  }>();
  const parser = createParser(request);
  const begunParts = countParts(parser);
  const files: Promise<ReceivedFile>[] = [];
  const expiresIn: string[] = [];
  let fields = 0;
  let totalBytes = 0;
  let hasFailed = false;

  const idle = setTimeout(() => fail(invalid('body', `no data for ${idleMs / 1000} seconds`)), idleMs);
  const total = setTimeout(
    () => fail(invalid('body', `not complete after ${totalMs / 1000} seconds`)),
    totalMs,
  );

  parser.on('file', (name, stream, { filename }) => {
    // Whoever reads the stream sees its errors; one that is dropped must not end the process.
    stream.on('error', () => {});
    const refusal = refusePart(name, files.length, kind);
    if (refusal) fail(refusal);
    if (hasFailed) {
      stream.resume();
      return;
    }
    const received = receive(stream, receiverFor(filename ?? ''));
    received.catch(fail);
    files.push(received);
  });
  parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
    fields += 1;
    if (name === 'file') fail(invalid('file', 'must be sent as a file, with a filename'));
    else if (name !== 'expires_in') fail(unknownPart(name));
    else expiresIn.push(valueTruncated ? `${value}…` : value);
  });
  parser.on('partsLimit', () => fail(invalid('body', `more than ${maxParts} parts`)));
  parser.on('error', (error) => fail(malformed(error)));
  parser.on('close', () => {
    if (begunParts() !== files.length + fields)
      fail(invalid('body', 'a part has no Content-Disposition: form-data that can be read'));
    Promise.all(files).then((received) => resolve({ files: received, expiresIn }), fail);
  });
  request.on('data', () => idle.refresh());
  // A client that hangs up has nobody to answer, but what was spooled must go.
  request.on(
    'close',
    () => request.complete || fail(invalid('body', 'the connection closed before its end')),
  );
  request.on('error', (error) => fail(malformed(error)));
  onBrokenBody(request, (reason) => fail(invalid('body', reason)));
  request.pipe(parser);

  return promise.finally(() => {
    clearTimeout(idle);
    clearTimeout(total);
  });

  async function receive(stream: Readable, receiver: FileReceiver): Promise<ReceivedFile> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      totalBytes += chunk.length;
      if (kind === 'single' && totalBytes > limits.fileBytes) throw fileTooLarge();
      if (totalBytes > limits.batchBytes) throw batchTooLarge();
      await receiver.write(chunk);
    }
    return receiver.finish();
  }

  function fail(error: unknown): void {
    if (hasFailed) return;
    hasFailed = true;
    reject(error);
    request.unpipe(parser);
    // Not at once: the parser may be in the middle of a chunk, and throws when it is destroyed there.
    setImmediate(() => parser.destroy());
    // The rest of the body is read and dropped, so that the client gets to read the answer.
    request.resume();
  }
}

function createParser(request: IncomingMessage): busboy.Busboy {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw invalid(
      'body',
      `must be multipart/form-data with a part named "file", not ${JSON.stringify(contentType)}`,
    );
  }
  try {
    return busboy({
      headers: request.headers,
      // The name as submitted is reported back; making it safe is the store's work.
      preservePath: true,
      defParamCharset: 'utf8',
      limits: { parts: maxParts, fieldSize: maxFieldBytes, fieldNameSize: maxFieldBytes, headerPairs: 50 },
    });
  } catch (error) {
    throw malformed(error);
  }
}

/**
 * busboy passes over a part whose Content-Disposition it cannot read, without a word, and a batch would lose a file. So
 * its parts are counted where it begins to read each one's headers.
 */
function countParts(parser: busboy.Busboy): () => number {
  let begun = 0;
  let headerParser: unknown = null;
  Object.defineProperty(parser, '_hparser', {
    get: () => headerParser,
    set(next: unknown) {
      if (next !== null) begun += 1;
      headerParser = next;
    },
  });
  return () => begun;
}

function refusePart(
  name: string | undefined,
  filesBefore: number,
  kind: 'single' | 'batch',
): ServiceError | undefined {
  if (name !== 'file') return unknownPart(name);
  if (kind === 'single' && filesBefore === 1) {
    return invalid('file', 'there is more than one; send several to /api/v1/upload/batch');
  }
  if (filesBefore === limits.batchFiles) {
    return new ServiceError('too_many_files', `file: more than ${limits.batchFiles} files in one batch.`);
  }
  return undefined;
}

/** A plain decimal integer within the contract's bounds, at most once. Spec 4.1. */
function parseExpiresIn(values: string[]): number | undefined {
  const { min, max } = limits.expiresInSeconds;
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) throw invalid('expires_in', 'given more than once');
  const seconds = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : Number.NaN;
  if (seconds >= min && seconds <= max) return seconds;
  throw invalid(
    'expires_in',
    `must be an integer from ${min} to ${max} (seconds), not ${JSON.stringify(value)}`,
  );
}

function batchTooLarge(): ServiceError {
  return new ServiceError('batch_too_large', `file: together more than ${limits.batchBytes} bytes (50 MB).`);
}

function unknownPart(name: string | undefined): ServiceError {
  const shown = name === undefined ? 'a part without a name' : JSON.stringify(name.slice(0, 60));
  return invalid('body', `${shown} is not known; the form has "file" and "expires_in"`);
}

function malformed(error: unknown): ServiceError {
  const reason = error instanceof Error ? error.message : 'unreadable';
  return invalid('body', `malformed multipart/form-data (${reason})`);
}
