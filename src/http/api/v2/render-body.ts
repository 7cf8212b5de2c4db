// The body of a render: JSON, or a form with that JSON and the files that its page finds. It goes through spools: what is still arriving is
// on disk if it is large, and whatever becomes of the request, nothing is left of it. Spec 10.
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { invalid } from '#core/errors.ts';
import { createFairQueue } from '#core/fair-queue.ts';
import { limits } from '#core/limits.ts';
import type { Blobs, Spool } from '#storage/blobs.ts';
import type { SourceFile } from '#browser/job.ts';
import { checkFileName, fileTypeOf } from '#http/api/v2/file-names.ts';
import type { PartHead } from '#http/body/form-parser.ts';
import { valueOf } from '#http/body/header-value.ts';
import { parseJson, requestTooLarge } from '#http/body/json-body.ts';
import { createStructureLimit } from '#http/body/json-structure.ts';
import { readForm, type OpenPart } from '#http/body/read-form.ts';
import { receiveBody, requireType } from '#http/body/receive-body.ts';

/**
 * An HTML document of 2 MiB, in which an encoder has escaped everything but ASCII, has 6 MiB as JSON; style, script and secrets have
 * another 1.5. Parsing the worst text of this size takes 35 ms, which nobody else is answered in: so only one is parsed at a time, and
 * others are answered before the next. test/http/api/v2/bodies.test.ts.
 */
const jsonBytes = 8 * 1024 * 1024;
/** Up to this size it takes a millisecond. */
const smallBytes = 256 * 1024;
/** A request with every field at its limit has less than 2,000. */
const jsonMarks = 10_000;

export interface RenderBody extends AsyncDisposable {
  json: unknown;
  /** Of the JSON. */
  sizeBytes: number;
  files: SourceFile[];
  /** The files by name and content, for comparing requests. */
  digest: string[][];
}

interface ReceivedFile {
  file: SourceFile;
  sha256: string;
}

export function createRenderBodyReader(blobs: Blobs) {
  const parseInTurn = createParser();
  return (request: IncomingMessage, accountId: string): Promise<RenderBody> =>
    readRenderBody(request, blobs, accountId, parseInTurn);
}

type Parse = (text: JsonText, accountId: string) => Promise<unknown>;

export function createParser(): Parse {
  const large = createFairQueue({ concurrency: 1 });
  const parse = async ({ read, field }: JsonText) => parseJson(await read(), { holdsSecrets: true, field });
  return (text, accountId) => {
    if (text.sizeBytes <= smallBytes) return parse(text);
    return large.run(accountId, async () => {
      try {
        return await parse(text);
      } finally {
        await setImmediate();
      }
    });
  };
}

/** JSON that has arrived. While it waits, large ones are on disk. */
interface JsonText {
  /** Where it was sent: the body, or a part of a form. */
  field: string;
  sizeBytes: number;
  read(): Promise<Buffer>;
}

async function readRenderBody(
  request: IncomingMessage,
  blobs: Blobs,
  accountId: string,
  parseInTurn: Parse,
): Promise<RenderBody> {
  await using spools = new AsyncDisposableStack();
  const newSpool = (): Spool => spools.use(blobs.createSpool(accountId));
  const isForm = valueOf(request.headers['content-type']) === 'multipart/form-data';
  requireType(
    request,
    isForm ? 'multipart/form-data' : 'application/json',
    (given) => `must be application/json or multipart/form-data, not ${given}; set the Content-Type header`,
  );
  const { text, received } = isForm
    ? await readParts(request, newSpool)
    : { text: await readText(request, newSpool()), received: [] };
  const json = await parseInTurn(text, accountId);
  const kept = spools.move();
  return {
    json,
    sizeBytes: text.sizeBytes,
    files: received.map(({ file }) => file),
    digest: received.map(({ file, sha256 }) => [file.name, file.contentType, sha256]),
    // What cannot be deleted now is left to the sweep of spools: the render has its answer.
    [Symbol.asyncDispose]: () => kept.disposeAsync().catch(() => {}),
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
  const countMarks = createStructureLimit(jsonMarks);
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
      countMarks(piece);
      return spool.write(piece);
    },
    read: (): Promise<Buffer> => spool.read(),
  };
}

async function readParts(request: IncomingMessage, newSpool: () => Spool) {
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
    const part = createTextPart(newSpool(), 'request');
    text = part;
    return { write: part.write, end: async () => {} };
  }

  function openFile({ filename, contentType }: PartHead): OpenPart {
    if (names.size === limits.filesPerRender)
      throw invalid('file', `more than ${limits.filesPerRender} files; send fewer`);
    const name = checkFileName(filename);
    if (names.has(name)) throw invalid('file', `${JSON.stringify(name)} is there twice; send each file once`);
    names.add(name);
    const spool = newSpool();
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
