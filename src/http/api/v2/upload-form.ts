// The form of an upload: one file, and fields as texts, which become the values that their schemas ask for. v2 3.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { TObject } from 'typebox';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Blobs } from '#storage/blobs.ts';
import { tagsOf, titleOf } from '#uploads/labels.ts';
import { fileTooLarge, receiveFile, type FileReceiver, type ReceivedFile } from '#uploads/receive-file.ts';
import { UploadFields } from '#http/api/v2/upload-schemas.ts';
import { hintFor } from '#http/body/field-hint.ts';
import type { PartHead } from '#http/body/form-parser.ts';
import type { UploadForm } from '#http/body/multipart.ts';
import { readForm, type OpenPart } from '#http/body/read-form.ts';
import { requireType } from '#http/body/receive-body.ts';
import { validate } from '#http/body/validate.ts';

/** Far more than the fields need: a larger body is not an upload form. */
const maxParts = 100;
/** More than the longest text, so that what is cut off is refused for its length. */
const maxFieldBytes = 2_048;

export async function readUploadForm(
  request: IncomingMessage,
  blobs: Blobs,
  accountId: string,
  { fields = UploadFields, maxBytes = limits.fileBytes }: { fields?: TObject; maxBytes?: number } = {},
): Promise<UploadForm> {
  requireType(
    request,
    'multipart/form-data',
    (given) =>
      `must be multipart/form-data with a part named "file"${fields === UploadFields ? ', or application/json with url' : ''}, not ${given}`,
  );
  await using receivers = new AsyncDisposableStack();
  const parts = createParts(fields, maxBytes, (filename) =>
    receivers.use(receiveFile(blobs, filename, accountId)),
  );
  await readForm(request, parts.open);
  const files = await Promise.all(parts.files);
  if (files.length === 0) throw invalid('file', 'missing; send the image as a part named "file"');
  const options = optionsOf(validate(fields, valuesOf(fields, parts.texts)));
  const kept = receivers.move();
  return { files, options, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

export const optionsOf = ({
  expires_in,
  filename,
  title,
  tags,
  album,
  strip_metadata,
  password,
  max_views,
}: UploadFields) => ({
  expiresInSeconds: expires_in,
  stripMetadata: strip_metadata ?? true,
  filename,
  title: title === undefined ? undefined : titleOf(title),
  tags: tagsOf(tags ?? []),
  albumId: album,
  password,
  maxViews: max_views,
});

/** Checks each part as it begins, and collects what has arrived. */
function createParts(
  { properties }: TObject,
  maxBytes: number,
  receiverFor: (filename: string) => FileReceiver,
) {
  const files: Promise<ReceivedFile>[] = [];
  const texts = new Map<string, string[]>();
  let count = 0;

  function open({ name, filename }: PartHead): OpenPart {
    count += 1;
    if (count > maxParts) throw invalid('body', `more than ${maxParts} parts`);
    if (name === undefined) throw invalid('body', 'there is a part without a name');
    if (name === 'file') {
      if (filename === undefined) throw invalid('file', 'must be sent as a file, with a filename');
      if (files.length === 1) throw invalid('file', 'there is more than one; send a request for each');
      return openFile(receiverFor(filename));
    }
    if (!Object.hasOwn(properties, name))
      throw invalid(name.slice(0, 60), `unknown field; ${hintFor(name, { file: {}, ...properties }, '')}`);
    // Some clients send a value with a binary content type, which looks like a file without a name.
    if (filename !== undefined && filename !== '')
      throw invalid(name, 'must be sent as a text, not as a file');
    return openField(name);
  }

  function openFile(receiver: FileReceiver): OpenPart {
    let bytes = 0;
    return {
      write(piece) {
        bytes += piece.length;
        if (bytes > maxBytes) throw fileTooLarge('file', maxBytes);
        return receiver.write(piece);
      },
      end() {
        const received = receiver.finish();
        files.push(received);
        return received;
      },
    };
  }

  function openField(name: string): OpenPart {
    const pieces: Buffer[] = [];
    let bytes = 0;
    return {
      write(piece) {
        bytes += piece.length;
        if (bytes > maxFieldBytes) throw invalid(name, `longer than ${maxFieldBytes} bytes`);
        // A copy, because a slice would keep the whole chunk in memory.
        pieces.push(Buffer.from(piece));
        return undefined;
      },
      async end() {
        const value = Buffer.concat(pieces);
        if (!isUtf8(value)) throw invalid(name, 'is not valid UTF-8');
        texts.set(name, [...(texts.get(name) ?? []), value.toString()]);
      },
    };
  }

  return { files, texts, open };
}

function valuesOf({ properties }: TObject, texts: Map<string, string[]>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, given] of texts) {
    const { type } = properties[name] as { type?: string };
    if (type !== 'array' && given.length > 1) throw invalid(name, 'given more than once');
    values[name] = type === 'array' ? given : valueOf(type, given[0] ?? '');
  }
  return values;
}

/** A text that is no value of its type stays a text, which the schema refuses. */
function valueOf(type: string | undefined, text: string): unknown {
  if (type === 'integer') return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : text;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
