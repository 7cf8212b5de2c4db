// Bytes behind one interface. A blob is written to a spool first, where it is invisible; commit makes it durable under its
// key, and only then may a row point at it.
import type { Readable } from 'node:stream';

export interface ByteRange {
  start: number;
  /** Inclusive, as in RFC 9110. */
  end: number;
}

/** Whoever makes one owns it: `await using` drops its bytes, its file and its descriptor on every way out, unless it was committed. */
export interface Spool extends AsyncDisposable {
  /** A promise where there is something to wait for before the next write. */
  write(chunk: Buffer): Promise<void> | undefined;
  /** Everything written so far, or its beginning. */
  read(maxBytes?: number): Promise<Buffer>;
  /** The SHA-256 of everything, in hex, when all is written; of a spool that was made to tell it. */
  sha256(): Promise<string>;
  /** Makes the bytes durable under `key`. The spool is gone afterwards. */
  commit(key: string): Promise<void>;
}

/** A blob that is being read. Whoever opens one owns it: `using` closes it on every way out, and so does a reply that sends it. */
export interface OpenBlob extends Disposable {
  readonly stream: Readable;
}

export function openBlob(stream: Readable): OpenBlob {
  return {
    stream,
    [Symbol.dispose]() {
      // Nobody reads any more, so nobody is left to hear of an error.
      stream.on('error', () => {});
      stream.destroy();
    },
  };
}

/** All of a blob, in memory. */
export async function readBlob(blobs: Pick<Blobs, 'open'>, key: string): Promise<Buffer | undefined> {
  using blob = await blobs.open(key);
  return blob && Buffer.concat((await blob.stream.toArray()) as Buffer[]);
}

export interface StoredBlob {
  key: string;
  modifiedAt: number;
}

/** How a store answers for a blob that it serves itself. */
export interface SignedAnswer {
  contentType: string;
  contentDisposition: string;
  cacheControl: string;
  lifeSeconds: number;
}

export interface Blobs {
  createSpool(options?: { isHashed: boolean }): Spool;
  /** Undefined when there is no blob under this key. */
  open(key: string, range?: ByteRange): Promise<OpenBlob | undefined>;
  /** All of a blob of this size that is small enough to be kept in memory, where the store keeps any. */
  readSmall?(key: string, sizeBytes: number): Promise<Buffer | undefined>;
  /** An address under which the store itself serves the blob for a short time, where it can. */
  signedUrl?(key: string, answer: SignedAnswer): Promise<string>;
  /** Harmless when there is no such blob. */
  delete(key: string): Promise<void>;
  /** Every blob, in batches, for the search for orphans. */
  list(): AsyncIterable<StoredBlob[]>;
  /** Drops spools whose process is gone. */
  sweepSpools(): Promise<void>;
  /** Rejects when the store does not answer. */
  ping(): Promise<void>;
}
