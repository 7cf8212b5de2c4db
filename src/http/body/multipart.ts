// Reads an upload form as it streams in. The whole body is checked before anything is stored: a request-level failure stores
// nothing. Spec 4.1, 4.2.6.
import type { IncomingMessage } from 'node:http';
import { invalid, ServiceError } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Blobs } from '#storage/blobs.ts';
import { fileTooLarge, receiveFile, type FileReceiver, type ReceivedFile } from '#uploads/receive-file.ts';
import type { UploadOptions } from '#uploads/store-uploads.ts';
import type { PartHead } from '#http/body/form-parser.ts';
import { readForm, type OpenPart } from '#http/body/read-form.ts';
import { requireType } from '#http/body/receive-body.ts';

/** Owns the spools of its files: `await using` deletes those that were not stored. */
export interface UploadForm extends AsyncDisposable {
  files: ReceivedFile[];
  /** A file that is fetched when the request runs; its content is equal for a repeat of the request. */
  later?: { content: string; receive: () => Promise<ReceivedFile> };
  options: UploadOptions;
}

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
  const { files, expiresIn } = await parseForm(request, kind, (filename) =>
    receivers.use(receiveFile(blobs, filename, accountId)),
  );
  if (files.length === 0) throw invalid('file', 'missing; send the image as a part named "file"');
  const expiresInSeconds = parseExpiresIn(expiresIn);
  const kept = receivers.move();
  return { files, options: { expiresInSeconds }, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function parseForm(
  request: IncomingMessage,
  kind: 'single' | 'batch',
  receiverFor: (filename: string) => FileReceiver,
) {
  requireType(
    request,
    'multipart/form-data',
    (given) => `must be multipart/form-data with a part named "file", not ${given}`,
  );
  const parts = createParts(kind, receiverFor);
  await readForm(request, parts.open);
  return { files: await Promise.all(parts.files), expiresIn: parts.expiresIn };
}

/** Checks each part as it begins, and collects what has arrived. */
function createParts(kind: 'single' | 'batch', receiverFor: (filename: string) => FileReceiver) {
  const files: Promise<ReceivedFile>[] = [];
  const expiresIn: string[] = [];
  let count = 0;
  let fileBytes = 0;

  function open({ name, filename }: PartHead): OpenPart {
    count += 1;
    if (count > maxParts) throw invalid('body', `more than ${maxParts} parts`);
    // Some clients send a number with a binary content type, which looks like a file without a name.
    const isFile = filename !== undefined && !(name === 'expires_in' && filename === '');
    const refusal = refusePart(name, isFile, files.length, kind);
    if (refusal) throw refusal;
    return isFile ? openFile(receiverFor(filename)) : openField();
  }

  const openFile = (receiver: FileReceiver): OpenPart => ({
    write(piece) {
      fileBytes += piece.length;
      if (kind === 'single' && fileBytes > limits.fileBytes) throw fileTooLarge();
      if (fileBytes > limits.batchBytes) throw batchTooLarge();
      return receiver.write(piece);
    },
    end() {
      const received = receiver.finish();
      files.push(received);
      return received;
    },
  });

  function openField(): OpenPart {
    let bytes: Buffer = nothing;
    return {
      write(piece) {
        if (bytes.length <= maxFieldBytes) bytes = Buffer.concat([bytes, piece]);
        return undefined;
      },
      async end() {
        const isLonger = bytes.length > maxFieldBytes;
        expiresIn.push(`${bytes.toString('utf8', 0, maxFieldBytes)}${isLonger ? '…' : ''}`);
      },
    };
  }

  return { files, expiresIn, open };
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
