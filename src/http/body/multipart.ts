// Reads an upload form as it streams in. The whole body is checked before anything is stored: a request-level failure stores
// nothing. Spec 4.1, 4.2.6.
import type { IncomingMessage } from 'node:http';
import { invalid, ServiceError } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Blobs } from '#storage/blobs.ts';
import { fileTooLarge, receiveFile, type FileReceiver, type ReceivedFile } from '#uploads/receive-file.ts';
import { valueOf } from '#http/body/header-value.ts';
import { onBrokenBody } from '#http/connection/broken-body.ts';
import { refuseEncodedBody } from '#http/body/encoded-body.ts';
import {
  createFormParser,
  FormError,
  type FormEvent,
  type FormParser,
  type PartHead,
} from '#http/body/form-parser.ts';

/** Owns the spools of its files: `await using` deletes those that were not stored. */
export interface UploadForm extends AsyncDisposable {
  files: ReceivedFile[];
  expiresInSeconds: number | undefined;
}

const idleMs = 30_000;
const totalMs = 4 * 60_000;
/** Far more than ten files and one field need: a larger body is not an upload form. */
const maxParts = 100;
const maxFieldBytes = 256;
const nothing = Buffer.alloc(0);

export async function readUploadForm(
  request: IncomingMessage,
  blobs: Blobs,
  kind: 'single' | 'batch',
  accountId: string,
): Promise<UploadForm> {
  await using receivers = new AsyncDisposableStack();
  try {
    const { files, expiresIn } = await parseForm(request, kind, (filename) =>
      receivers.use(receiveFile(blobs, filename, accountId)),
    );
    if (files.length === 0) throw invalid('file', 'missing; send the image as a part named "file"');
    const expiresInSeconds = parseExpiresIn(expiresIn);
    const kept = receivers.move();
    return { files, expiresInSeconds, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  } catch (error) {
    throw error instanceof FormError ? malformed(error.message) : error;
  }
}

interface ParsedForm {
  files: ReceivedFile[];
  expiresIn: string[];
}

function parseForm(
  request: IncomingMessage,
  kind: 'single' | 'batch',
  receiverFor: (filename: string) => FileReceiver,
): Promise<ParsedForm> {
  const { promise, resolve, reject } = Promise.withResolvers<ParsedForm>();
  const parser = createParser(request);
  const files: Promise<ReceivedFile>[] = [];
  const expiresIn: string[] = [];
  let parts = 0;
  let totalBytes = 0;
  let hasFailed = false;
  let file: FileReceiver | undefined;
  let field: Buffer | undefined;

  const idle = setTimeout(() => fail(invalid('body', `no data for ${idleMs / 1000} seconds`)), idleMs);
  const total = setTimeout(
    () => fail(invalid('body', `not complete after ${totalMs / 1000} seconds`)),
    totalMs,
  );

  request.on('data', (chunk: Buffer) => {
    idle.refresh();
    if (!hasFailed) take(parser.read(chunk));
  });
  request.on('end', () => {
    try {
      parser.end();
      Promise.all(files).then((received) => resolve({ files: received, expiresIn }), fail);
    } catch (error) {
      fail(error);
    }
  });
  // A client that disconnects gets no response, but its spools must be deleted.
  request.on(
    'close',
    () => request.complete || fail(invalid('body', 'the connection closed before its end')),
  );
  request.on('error', ({ message }) => fail(new FormError(message)));
  onBrokenBody(request, (reason) => fail(invalid('body', reason)));

  return promise.finally(() => {
    clearTimeout(idle);
    clearTimeout(total);
  });

  /** True when all events are processed. While one waits for the disk, the body is paused. */
  function take(events: Generator<FormEvent>): boolean {
    try {
      for (let next = events.next(); next.done !== true; next = events.next()) {
        const written = takeEvent(next.value);
        if (!written) continue;
        request.pause();
        written.then(() => {
          if (!hasFailed && take(events)) request.resume();
        }, fail);
        return false;
      }
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  }

  function takeEvent(event: FormEvent): Promise<void> | undefined {
    if (event === 'end of part') endPart();
    else if ('part' in event) beginPart(event.part);
    else if (file) return takeBytes(file, event.piece);
    else if (field && field.length <= maxFieldBytes) field = Buffer.concat([field, event.piece]);
    return undefined;
  }

  function beginPart({ name, filename }: PartHead): void {
    parts += 1;
    if (parts > maxParts) throw invalid('body', `more than ${maxParts} parts`);
    // Some clients send a number with a binary content type, which looks like a file without a name.
    const isFile = filename !== undefined && !(name === 'expires_in' && filename === '');
    const refusal = refusePart(name, isFile, files.length, kind);
    if (refusal) throw refusal;
    if (isFile) file = receiverFor(filename);
    else field = nothing;
  }

  function takeBytes(receiver: FileReceiver, piece: Buffer): Promise<void> | undefined {
    totalBytes += piece.length;
    if (kind === 'single' && totalBytes > limits.fileBytes) throw fileTooLarge();
    if (totalBytes > limits.batchBytes) throw batchTooLarge();
    return receiver.write(piece);
  }

  function endPart(): void {
    if (file) {
      const received = file.finish();
      received.catch(fail);
      files.push(received);
    }
    if (field)
      expiresIn.push(`${field.toString('utf8', 0, maxFieldBytes)}${field.length > maxFieldBytes ? '…' : ''}`);
    file = undefined;
    field = undefined;
  }

  function fail(error: unknown): void {
    if (hasFailed) return;
    hasFailed = true;
    reject(error);
    // The rest of the body is read and discarded, so that the client can read the response.
    request.resume();
  }
}

function createParser(request: IncomingMessage): FormParser {
  const contentType = request.headers['content-type'] ?? '';
  if (valueOf(contentType) !== 'multipart/form-data') {
    throw invalid(
      'body',
      `must be multipart/form-data with a part named "file", not ${JSON.stringify(contentType)}`,
    );
  }
  refuseEncodedBody(request);
  return createFormParser(contentType);
}

function refusePart(
  name: string | undefined,
  isFile: boolean,
  filesBefore: number,
  kind: 'single' | 'batch',
): ServiceError | undefined {
  if (name === 'expires_in')
    return isFile ? invalid('expires_in', 'must be sent as a number, not as a file') : undefined;
  if (name !== 'file') return unknownPart(name);
  if (!isFile) return invalid('file', 'must be sent as a file, with a filename');
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

function malformed(reason: string): ServiceError {
  return invalid('body', `malformed multipart/form-data (${reason})`);
}
