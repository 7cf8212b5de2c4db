// What came with a queued render, in one blob: the request as the client sent it, encrypted because secrets are in it, and then its
// files. It is lowered again when it runs, so that a newer version of the service, or a machine with other settings, understands it.
import { seal, unseal } from '#core/seal.ts';
import { wholeRange, type Blobs, type ByteRange } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderJobRow } from '#storage/schema.ts';
import type { SourceFile } from '#browser/job.ts';
import { installationSecret } from '#accounts/installation-secret.ts';

interface Sealed {
  given: unknown;
  /** Of a result that may answer later requests. */
  cacheKey: string | undefined;
  files: Omit<SourceFile, 'path'>[];
}

export interface JobRequest extends AsyncDisposable {
  /** As the client sent it. */
  given: unknown;
  cacheKey: string | undefined;
  /** Gone when it is disposed. */
  files: SourceFile[];
}

export type JobRequests = ReturnType<typeof createJobRequests>;

/** `jobBlobs` keeps the requests; `blobs` has the spools from which the browser reads files. */
export function createJobRequests(parts: { database: Database; blobs: Blobs; jobBlobs: Blobs }) {
  const { database, blobs, jobBlobs } = parts;
  let secret: string | undefined;
  /** It never changes. */
  const secretOf = async (): Promise<string> => (secret ??= await installationSecret(database));

  /** Hands the bytes of a part to `take`. */
  async function readPart(
    id: string,
    { start, end }: ByteRange,
    take: (chunk: Buffer) => unknown,
  ): Promise<void> {
    if (end < start) return;
    using blob = await jobBlobs.open(id, { start, end });
    if (!blob) throw new Error(`the request of the render ${id} is lost`);
    for await (const chunk of blob.stream as AsyncIterable<Buffer>) await take(chunk);
  }

  return {
    /** Makes them durable. Returns how many bytes the encrypted request has. The files are taken over. */
    async write(
      id: string,
      accountId: string,
      { given, cacheKey, files }: Pick<JobRequest, 'given' | 'cacheKey' | 'files'>,
    ): Promise<number> {
      const sealed: Sealed = { given, cacheKey, files: files.map(({ path: _path, ...file }) => file) };
      const request = Buffer.from(seal(await secretOf(), JSON.stringify(sealed)));
      await using spool = jobBlobs.createSpool(accountId);
      await spool.write(request);
      for (const file of files) {
        await using adopted = await jobBlobs.adopt(file, accountId);
        using blob = await adopted.open();
        for await (const chunk of blob.stream as AsyncIterable<Buffer>) await spool.write(chunk);
      }
      await spool.commit(id);
      return request.length;
    },

    async read({ id, account_id, request_bytes }: RenderJobRow): Promise<JobRequest> {
      const pieces: Buffer[] = [];
      await readPart(id, wholeRange(request_bytes), (chunk) => pieces.push(chunk));
      const text = unseal(await secretOf(), Buffer.concat(pieces).toString());
      const { files, ...rest } = JSON.parse(text) as Sealed;
      await using spools = new AsyncDisposableStack();
      const copied: SourceFile[] = [];
      let start = request_bytes;
      for (const file of files) {
        const spool = spools.use(blobs.createSpool(account_id));
        await readPart(id, { start, end: start + file.sizeBytes - 1 }, spool.write);
        start += file.sizeBytes;
        copied.push({ ...file, path: await spool.toFile() });
      }
      const kept = spools.move();
      return {
        given: rest.given,
        cacheKey: rest.cacheKey,
        files: copied,
        [Symbol.asyncDispose]: () => kept.disposeAsync().catch(() => {}),
      };
    },

    /** What cannot be deleted now is left to the orphan sweep. */
    delete: (id: string): Promise<void> => jobBlobs.delete(id).catch(() => {}),
  };
}
