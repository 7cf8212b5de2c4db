// A store of files that notes how long it takes: to make a file durable, until the first byte of one can be read, and to delete one.
import { timed, type OnTiming } from '#core/timings.ts';
import type { Blobs } from '#storage/blobs.ts';

/** `readSmall` is not timed: it mostly answers from memory. */
export function timeBlobs(blobs: Blobs, note: OnTiming): Blobs {
  const withTimedCommit = <File extends { commit(key: string): Promise<void> }>(file: File): File => ({
    ...file,
    commit: (key: string) => timed(note, 'write', () => file.commit(key)),
  });
  return {
    ...blobs,
    createSpool: (...given) => withTimedCommit(blobs.createSpool(...given)),
    adopt: async (file, account) => withTimedCommit(await blobs.adopt(file, account)),
    open: (key, range, reader) => timed(note, 'read', () => blobs.open(key, range, reader)),
    delete: (key) => timed(note, 'delete', () => blobs.delete(key)),
  };
}
