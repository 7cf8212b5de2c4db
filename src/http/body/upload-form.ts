// Reads an upload form as it streams in: each part is checked as it begins, and nothing is stored before the whole body has been. What
// its parts are is for each version to say. Spec 4.1, 4.2.6; v2 3.
import type { IncomingMessage } from 'node:http';
import { invalid } from '#core/errors.ts';
import type { Blobs } from '#storage/blobs.ts';
import { receiveFile, type FileReceiver, type ReceivedFile } from '#uploads/receive-file.ts';
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

/** What a version takes. Each of the functions throws what is wrong. */
export interface FormRules {
  /** What may be sent instead of a form; empty if nothing. */
  instead: string;
  /** Whether a part is a file, and may be there. */
  isFile(head: PartHead, filesBefore: number): boolean;
  limitFiles(fileBytes: number, allBytes: number): void;
  /** The longest text; what is longer is cut. */
  textBytes: number;
  limitText?(name: string, bytes: number): void;
  textOf(name: string, bytes: Buffer): string;
  /** By the names of the parts. */
  optionsOf(texts: Map<string, string[]>): UploadOptions;
}

/** Far more than ten files and the fields need: a larger body is not an upload form. */
const maxParts = 100;
const nothing = Buffer.alloc(0);

export async function readUploadForm(
  request: IncomingMessage,
  blobs: Blobs,
  accountId: string,
  rules: FormRules,
): Promise<UploadForm> {
  requireType(
    request,
    'multipart/form-data',
    (given) => `must be multipart/form-data with a part named "file"${rules.instead}, not ${given}`,
  );
  await using receivers = new AsyncDisposableStack();
  const parts = createParts(rules, (filename) => receivers.use(receiveFile(blobs, filename, accountId)));
  await readForm(request, parts.open);
  const files = await Promise.all(parts.files);
  if (files.length === 0) throw invalid('file', 'missing; send the image as a part named "file"');
  const options = rules.optionsOf(parts.texts);
  const kept = receivers.move();
  return { files, options, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function createParts(rules: FormRules, receiverFor: (filename: string) => FileReceiver) {
  const files: Promise<ReceivedFile>[] = [];
  const texts = new Map<string, string[]>();
  let count = 0;
  let allBytes = 0;

  function open(head: PartHead): OpenPart {
    count += 1;
    if (count > maxParts) throw invalid('body', `more than ${maxParts} parts`);
    const { name = '', filename = '' } = head;
    return rules.isFile(head, files.length) ? openFile(receiverFor(filename)) : openText(name);
  }

  function openFile(receiver: FileReceiver): OpenPart {
    let fileBytes = 0;
    return {
      write(piece) {
        fileBytes += piece.length;
        allBytes += piece.length;
        rules.limitFiles(fileBytes, allBytes);
        return receiver.write(piece);
      },
      end() {
        const received = receiver.finish();
        files.push(received);
        return received;
      },
    };
  }

  function openText(name: string): OpenPart {
    let bytes: Buffer = nothing;
    return {
      write(piece) {
        // A copy, because a slice would keep the whole chunk in memory.
        if (bytes.length <= rules.textBytes) bytes = Buffer.concat([bytes, piece]);
        rules.limitText?.(name, bytes.length);
        return undefined;
      },
      async end() {
        texts.set(name, [...(texts.get(name) ?? []), rules.textOf(name, bytes)]);
      },
    };
  }

  return { files, texts, open };
}
