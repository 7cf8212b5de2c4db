// The interface of a file store. A blob is written to a spool first, where it is invisible; commit makes it durable under its
// key, and only then may a row refer to it.
import type { Readable } from 'node:stream';

export interface ByteRange {
  start: number;
  /** Inclusive, as in RFC 9110. */
  end: number;
}

/**
 * All bytes of a blob, no more and no fewer. For a response that announces this size: with another number of bytes, the client would
 * take part of the body for the next response, or the reverse.
 */
export const wholeRange = (sizeBytes: number): ByteRange => ({ start: 0, end: sizeBytes - 1 });

/** The creator owns it: unless it was committed, `await using` discards its bytes, file and descriptor however the block ends. */
export interface Spool extends AsyncDisposable {
  /** Returns a promise if the next write must wait. */
  write(chunk: Buffer): Promise<void> | undefined;
  /** Everything written so far, or a part of it. */
  read(maxBytes?: number, from?: number): Promise<Buffer>;
  /** All bytes in a file, for another process to read; it is deleted with the spool. Called when everything is written. */
  toFile(): Promise<string>;
  /** The SHA-256 of all bytes, in hex, if they are hashed. Called once, when everything is written. */
  sha256(): Promise<string>;
  /** Makes the bytes durable under `key`. The spool is gone afterwards. */
  commit(key: string): Promise<void>;
}

/** Spooled bytes that a store makes durable. */
export interface Spooled {
  sizeBytes: number;
  /** A copy of all bytes, if they never left memory. */
  inMemory(): Buffer | undefined;
  /** All bytes in a closed file, synced to disk if asked. The store may move the file. */
  toFile(options: { isSynced: boolean }): Promise<string>;
}

/** Makes spooled bytes durable under a key. */
export type Store = (spooled: Spooled, key: string) => Promise<void>;

/** A file that another process has written. */
export interface FinishedFile {
  path: string;
  sizeBytes: number;
}

/**
 * A file that was taken over from another process. The creator owns it: unless it was committed, `await using` deletes it however
 * the block ends.
 */
export interface AdoptedFile extends AsyncDisposable {
  /** Its bytes, also after the file was committed or deleted. */
  open(): Promise<OpenBlob>;
  /** Makes the bytes durable under `key`. The file is gone afterwards. */
  commit(key: string): Promise<void>;
}

/** A blob being read. The opener owns it: `using` closes it however the block ends, and so does a reply that sends it. */
export interface OpenBlob extends Disposable {
  readonly stream: Readable;
}

export function openBlob(stream: Readable): OpenBlob {
  return {
    stream,
    [Symbol.dispose]() {
      // Nothing reads the stream any more, so its errors no longer matter.
      stream.on('error', () => {});
      stream.destroy();
    },
  };
}

/** Reads a whole blob into memory. */
export async function readBlob(blobs: Pick<Blobs, 'open'>, key: string): Promise<Buffer | undefined> {
  using blob = await blobs.open(key);
  return blob && Buffer.concat((await blob.stream.toArray()) as Buffer[]);
}

export interface StoredBlob {
  key: string;
  modifiedAt: number;
}

/** The response headers of a blob that the store serves itself. */
interface SignedAnswer {
  contentType: string;
  contentDisposition: string;
  cacheControl: string;
  lifeSeconds: number;
}

export interface Blobs {
  /**
   * `writer` is the account of the blob: accounts take turns at writing large blobs. Without `isHashed` there is no hash, which takes
   * longer than anything else of a large spool.
   */
  createSpool(writer?: string, options?: { isHashed: boolean }): Spool;
  /**
   * Takes over a file from a folder that a less trusted process can write to. Throws, and deletes the file, if it is a link, has
   * another size or is no file at all. The account's turn decides when it is written and read.
   */
  adopt(file: FinishedFile, account: string): Promise<AdoptedFile>;
  /** Undefined when there is no blob under this key. Readers, each an account or a client address, share the disk equally. */
  open(key: string, range?: ByteRange, reader?: string): Promise<OpenBlob | undefined>;
  /** The whole blob, if the store caches small blobs in memory and this size is small enough. */
  readSmall?(key: string, sizeBytes: number): Promise<Buffer | undefined>;
  /** A short-lived URL under which the store itself serves the blob, if it can. */
  signedUrl?(key: string, answer: SignedAnswer): Promise<string>;
  /** Does nothing if there is no such blob. */
  delete(key: string): Promise<void>;
  /** Every blob, in batches, for the orphan sweep; nothing that others put into the store. */
  list(): AsyncIterable<StoredBlob[]>;
  /** Deletes spools of processes that no longer run. */
  sweepSpools(): Promise<void>;
  /** The size of all blobs that this process has made durable. */
  storedBytes(): number;
  /** Rejects when the store does not respond. */
  ping(): Promise<void>;
}
