// Reads files for responses. Readers take turns at the disk, so that one client with hundreds of downloads does not slow the single
// download of another, and uploads keep threads of the pool for themselves.
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { createFairQueue } from '#core/fair-queue.ts';
import { createTally } from '#core/tally.ts';
import type { ByteRange } from '#storage/blobs.ts';

/** Half of the four threads that Node has for files. */
const concurrency = 2;
/**
 * A response reads one piece while it sends another. Large pieces need fewer turns of the event loop, so that a busy one delays a
 * download less. A reader that stops holds its pieces, so all of them together are limited.
 */
const piece = { maxBytes: 1024 * 1024, minBytes: 32 * 1024, totalBytes: 64 * 1024 * 1024 };

export type DiskReads = ReturnType<typeof createDiskReads>;

export function createDiskReads() {
  const queue = createFairQueue({ concurrency });
  const openStreams = createTally();

  /** Readers share the memory equally, and so do the streams of one reader. */
  function pieceBytes(reader: string): number {
    const share = piece.totalBytes / 2 / openStreams.names() / openStreams.of(reader);
    return Math.max(piece.minBytes, Math.min(piece.maxBytes, Math.floor(share)));
  }

  return {
    /** The stream owns the file: it is closed when the stream ends or is destroyed. */
    stream(file: FileHandle, reader: string, range?: ByteRange): Readable {
      let at = range?.start ?? 0;
      const end = range ? range.end + 1 : Infinity;
      const close = callbackify(() => file.close());
      openStreams.add(reader, 1);

      async function readPiece(): Promise<void> {
        if (stream.destroyed) return;
        const length = Math.min(pieceBytes(reader), end - at);
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, at);
        at += bytesRead;
        if (bytesRead > 0) stream.push(buffer.subarray(0, bytesRead));
        if (bytesRead < length && range) throw new Error('the file is shorter than expected');
        if (bytesRead < length || at >= end) stream.push(null);
      }

      const stream = new Readable({
        // One piece ahead, whatever its size.
        highWaterMark: 1,
        read() {
          queue.run(reader, readPiece).catch((error: Error) => stream.destroy(error));
        },
        destroy(error, done) {
          openStreams.add(reader, -1);
          close((closing) => done(error ?? closing));
        },
      });
      return stream;
    },
  };
}
