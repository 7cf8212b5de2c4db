// The body of a render: JSON, or a form with that JSON and the files that its page finds. It goes through spools: what is still arriving is
// on disk if it is large, and whatever becomes of the request, nothing is left of it. Spec 10.
import type { IncomingMessage } from 'node:http';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Asker, Cell, Sent } from '#cell/cell.ts';
import { Unreadable } from '#cell/work.ts';
import type { Blobs, Spool } from '#storage/blobs.ts';
import type { SentDocument, SourceFile } from '#browser/job.ts';
import { checkFileName, fileTypeOf } from '#api/v2/file-names.ts';
import { readRequest, type readLargeRequest, type ReadRequest } from '#api/v2/read-request.ts';
import type { PartHead } from '#http/body/form-parser.ts';
import { valueOf } from '#http/body/header-value.ts';
import { requestTooLarge } from '#http/body/json-body.ts';
import { readForm, type OpenPart } from '#http/body/read-form.ts';
import { receiveBody, requireType } from '#http/body/receive-body.ts';

/**
 * An HTML document of 2 MiB, in which an encoder has escaped everything but ASCII, has 6 MiB as JSON; style, script and secrets have
 * another 1.5.
 */
const jsonBytes = 8 * 1024 * 1024;
/** Up to this size it is read in a millisecond, without the way to the cell. */
const smallBytes = 64 * 1024;

export interface RenderBody extends ReadRequest, AsyncDisposable {
  /** The document of a large request; it is not in `given`. */
  document: SentDocument | undefined;
  /** The size of the JSON. */
  sizeBytes: number;
  files: SourceFile[];
  /** The files by name and content, for comparing requests. */
  fileDigests: string[][];
}

interface ReceivedFile {
  file: SourceFile;
  sha256: string;
}

type NewSpool = (options: { isHashed: boolean }) => Spool;

/** JSON that has arrived. */
interface JsonText extends Sent {
  /** Where it was sent: the body, or a part of a form. */
  field: string;
}

export async function readRenderBody(
  { blobs, cell }: { blobs: Blobs; cell: Cell },
  request: IncomingMessage,
  asker: Asker,
): Promise<RenderBody> {
  await using spools = new AsyncDisposableStack();
  const newSpool: NewSpool = (options) => spools.use(blobs.createSpool(asker.accountId, options));
  const isForm = valueOf(request.headers['content-type']) === 'multipart/form-data';
  requireType(
    request,
    isForm ? 'multipart/form-data' : 'application/json',
    (given) => `must be application/json or multipart/form-data, not ${given}; set the Content-Type header`,
  );
  const { text, received } = isForm
    ? await readParts(request, newSpool)
    : { text: await readText(request, newSpool({ isHashed: false })), received: [] };
  const read =
    text.sizeBytes > smallBytes
      ? await readInCell(cell, text, asker, newSpool)
      : { ...readRequest(await text.read(), text), document: undefined };
  const kept = spools.move();
  return {
    ...read,
    sizeBytes: text.sizeBytes,
    files: received.map(({ file }) => file),
    fileDigests: received.map(({ file, sha256 }) => [file.name, file.contentType, sha256]),
    // What cannot be deleted now is left to the sweep of spools: the render has its answer.
    [Symbol.asyncDispose]: () => kept.disposeAsync().catch(() => {}),
  };
}

async function readInCell(cell: Cell, text: JsonText, asker: Asker, newSpool: NewSpool) {
  const { field } = text;
  const { bytes, facts } = await cell
    .inCell<typeof readLargeRequest>('readLargeRequest', text, { field }, asker)
    .catch((error: unknown) => {
      if (asker.signal?.aborted) throw invalid('body', 'the connection closed');
      throw error instanceof Unreadable ? invalid(field, `${error.message} to read`) : error;
    });
  const { document: about, ...read } = facts;
  if (!about || !bytes) return { ...read, document: undefined };
  const spool = newSpool({ isHashed: false });
  await spool.write(bytes);
  const { kind, sha256 } = about;
  return {
    ...read,
    document: { kind, text: { path: await spool.toFile(), sizeBytes: bytes.length, sha256 } },
  };
}

async function readText(request: IncomingMessage, spool: Spool): Promise<JsonText> {
  const text = createTextPart(spool, 'body');
  await receiveBody(request, (chunk) => {
    const written = text.write(chunk);
    return written ? [written] : [];
  }).ended;
  return text;
}

/** JSON on its way in. */
function createTextPart(spool: Spool, field: string) {
  let sizeBytes = 0;
  return {
    field,
    get sizeBytes() {
      return sizeBytes;
    },
    write(piece: Buffer): Promise<void> | undefined {
      sizeBytes += piece.length;
      if (sizeBytes > jsonBytes)
        throw requestTooLarge(
          field,
          jsonBytes,
          'send a smaller document, or load parts of it from an address',
        );
      return spool.write(piece);
    },
    read: (): Promise<Buffer> => spool.read(),
  };
}

async function readParts(request: IncomingMessage, newSpool: NewSpool) {
  let text: JsonText | undefined;
  const files: Promise<ReceivedFile>[] = [];
  const names = new Set<string>();
  let fileBytes = 0;

  function open(head: PartHead): OpenPart {
    if (head.name === 'request') return openText();
    if (head.name === 'file') return openFile(head);
    if (head.name === undefined) throw invalid('body', 'there is a part without a name');
    throw invalid(head.name.slice(0, 60), 'unknown field; the fields are request, file');
  }

  function openText(): OpenPart {
    if (text) throw invalid('request', 'given more than once');
    const part = createTextPart(newSpool({ isHashed: false }), 'request');
    text = part;
    return { write: part.write, end: async () => {} };
  }

  function openFile({ filename, contentType }: PartHead): OpenPart {
    if (names.size === limits.filesPerRender)
      throw invalid('file', `more than ${limits.filesPerRender} files; send fewer`);
    const name = checkFileName(filename);
    if (names.has(name)) throw invalid('file', `${JSON.stringify(name)} is there twice; send each file once`);
    names.add(name);
    const spool = newSpool({ isHashed: true });
    let sizeBytes = 0;
    return {
      write(piece) {
        sizeBytes += piece.length;
        fileBytes += piece.length;
        if (fileBytes > limits.renderFileBytes)
          throw requestTooLarge(
            'file',
            limits.renderFileBytes,
            'load large files from an address',
            'together ',
          );
        return spool.write(piece);
      },
      end() {
        const received = spool.toFile().then(async (path) => ({
          file: { name, contentType: fileTypeOf(name, contentType), path, sizeBytes },
          sha256: await spool.sha256(),
        }));
        files.push(received);
        return received;
      },
    };
  }

  await readForm(request, open);
  if (!text) throw invalid('request', 'missing; send the JSON of the render as a part named "request"');
  return { text, received: await Promise.all(files) };
}
