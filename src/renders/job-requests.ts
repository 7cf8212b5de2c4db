// What came with a queued render, in one blob: the request as the client sent it and its large document, encrypted because secrets are in
// them, and then its files. It is lowered again when it runs, so that a newer version of the service, or a machine with other settings,
// understands it.
import { seal, sealBytes, sealExtraBytes, unseal, unsealBytes } from '#core/seal.ts';
import { wholeRange, type Blobs, type ByteRange, type FinishedFile } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderJobRow } from '#storage/schema.ts';
import type { DocumentSource, SentDocument, SourceFile, TextFile } from '#browser/job.ts';
import { installationSecret } from '#accounts/installation-secret.ts';

interface Sealed {
  given: unknown;
  /** The key of a result that may answer later requests, if the account has the same private hosts when it is made. */
  cacheKey: string | undefined;
  allowedHosts: string;
  document?: Pick<DocumentSource, 'kind'> & { text: Omit<TextFile, 'path'> };
  files: Omit<SourceFile, 'path'>[];
}

interface AskedRequest {
  /** As the client sent it, but for a large document. */
  given: unknown;
  cacheKey: string | undefined;
  allowedHosts: string;
  document: SentDocument | undefined;
  files: SourceFile[];
}

/** The files are gone when it is disposed. */
export interface JobRequest extends AskedRequest, AsyncDisposable {}

export type JobRequests = ReturnType<typeof createJobRequests>;

/** `jobBlobs` keeps the requests; `blobs` has the spools from which the browser reads files. */
export function createJobRequests(parts: { database: Database; blobs: Blobs; jobBlobs: Blobs }) {
  const { database, blobs, jobBlobs } = parts;
  let secret: string | undefined;
  /** It never changes. */
  const secretOf = async (): Promise<string> => (secret ??= await installationSecret(database));

  async function readPart(id: string, { start, end }: ByteRange): Promise<Buffer> {
    const pieces: Buffer[] = [];
    await eachPiece(id, { start, end }, (piece) => pieces.push(piece));
    return Buffer.concat(pieces);
  }

  async function eachPiece(
    id: string,
    { start, end }: ByteRange,
    take: (piece: Buffer) => unknown,
  ): Promise<void> {
    if (end < start) return;
    using blob = await jobBlobs.open(id, { start, end });
    if (!blob) throw new Error(`the request of the render ${id} is lost`);
    for await (const piece of blob.stream as AsyncIterable<Buffer>) await take(piece);
  }

  /** Takes the file over, and hands its bytes to `take`. */
  async function eachPieceOf(
    file: FinishedFile,
    accountId: string,
    take: (piece: Buffer) => unknown,
  ): Promise<void> {
    await using adopted = await jobBlobs.adopt(file, accountId);
    using blob = await adopted.open();
    for await (const piece of blob.stream as AsyncIterable<Buffer>) await take(piece);
  }

  return {
    /** Makes them durable. Returns how many bytes the encrypted request has, without a document. The files are taken over. */
    async storeRequest(
      id: string,
      accountId: string,
      { document, files, ...asked }: AskedRequest,
    ): Promise<number> {
      const sealed: Sealed = {
        ...asked,
        ...(document && { document: { kind: document.kind, text: withoutPath(document.text) } }),
        files: files.map(withoutPath),
      };
      const request = Buffer.from(seal(await secretOf(), JSON.stringify(sealed)));
      await using spool = jobBlobs.createSpool(accountId, { isHashed: false });
      await spool.write(request);
      if (document) {
        const pieces: Buffer[] = [];
        await eachPieceOf(document.text, accountId, (piece) => pieces.push(piece));
        await spool.write(sealBytes(await secretOf(), Buffer.concat(pieces)));
      }
      for (const file of files) await eachPieceOf(file, accountId, spool.write);
      await spool.commit(id);
      return request.length;
    },

    async readRequest({ id, account_id, request_bytes }: RenderJobRow): Promise<JobRequest> {
      const request = await readPart(id, wholeRange(request_bytes));
      const { document, files, ...asked } = JSON.parse(
        unseal(await secretOf(), request.toString()),
      ) as Sealed;
      await using spools = new AsyncDisposableStack();
      let start = request_bytes;
      const take = (sizeBytes: number): ByteRange => ({ start, end: (start += sizeBytes) - 1 });
      async function readDocument({ kind, text }: NonNullable<Sealed['document']>): Promise<SentDocument> {
        const sealed = await readPart(id, take(text.sizeBytes + sealExtraBytes));
        const spool = spools.use(blobs.createSpool(account_id, { isHashed: false }));
        await spool.write(unsealBytes(await secretOf(), sealed));
        return { kind, text: { ...text, path: await spool.toFile() } };
      }
      const came = {
        ...asked,
        document: document && (await readDocument(document)),
        files: [] as SourceFile[],
      };
      for (const file of files) {
        const spool = spools.use(blobs.createSpool(account_id, { isHashed: false }));
        await eachPiece(id, take(file.sizeBytes), spool.write);
        came.files.push({ ...file, path: await spool.toFile() });
      }
      const kept = spools.move();
      return { ...came, [Symbol.asyncDispose]: () => kept.disposeAsync().catch(() => {}) };
    },

    /** What cannot be deleted now is left to the orphan sweep. */
    deleteRequest: (id: string): Promise<void> => jobBlobs.delete(id).catch(() => {}),
  };
}

function withoutPath<File extends { path: string }>({ path: _path, ...rest }: File): Omit<File, 'path'> {
  return rest;
}
