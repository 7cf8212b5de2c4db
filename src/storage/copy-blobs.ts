// Copies every blob of one store to another. Blobs already there are not copied again; all are read back and compared, and copied
// once more if they differ.
import { createHash } from 'node:crypto';
import type { Blobs } from '#storage/blobs.ts';

const parallel = 16;

export interface CopyReport {
  files: number;
  copied: number;
  /** Keys whose bytes do not match, in the source or after copying. */
  damaged: string[];
}

export async function copyBlobs(
  from: Blobs,
  to: Blobs,
  checksumOf: (key: string) => string | undefined,
  onProgress: (what: 'copied' | 'verified', done: number, total: number) => void,
): Promise<CopyReport> {
  const keys = await keysOf(from);
  const present = new Set(await keysOf(to));
  const missing = keys.filter((key) => !present.has(key));
  let copied = 0;
  await inParallel(missing, async (key) => {
    await copyOne(from, to, key);
    onProgress('copied', (copied += 1), missing.length);
  });

  const damaged: string[] = [];
  let verified = 0;
  await inParallel(keys, async (key) => {
    const wanted = checksumOf(key) ?? (await hashOf(from, key));
    let found = await hashOf(to, key);
    if (found !== wanted) {
      // An interrupted run may have left half a file, in a store that keeps such halves.
      await copyOne(from, to, key);
      found = await hashOf(to, key);
    }
    // A file deleted from the source in the meantime has nothing to be compared with.
    if (found !== wanted && (await isIn(from, key))) damaged.push(key);
    onProgress('verified', (verified += 1), keys.length);
  });
  return { files: keys.length, copied, damaged };
}

async function copyOne(from: Blobs, to: Blobs, key: string): Promise<void> {
  using blob = await from.open(key);
  if (!blob) return;
  await using spool = to.createSpool();
  for await (const chunk of blob.stream as AsyncIterable<Buffer>) await spool.write(chunk);
  await spool.commit(key);
}

async function keysOf(blobs: Blobs): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of blobs.list()) keys.push(...batch.map(({ key }) => key));
  return keys;
}

async function isIn(blobs: Blobs, key: string): Promise<boolean> {
  using blob = await blobs.open(key);
  return blob !== undefined;
}

async function hashOf(blobs: Blobs, key: string): Promise<string | undefined> {
  using blob = await blobs.open(key);
  if (!blob) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of blob.stream as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

async function inParallel(keys: string[], work: (key: string) => Promise<void>): Promise<void> {
  const rest = keys.values();
  let failure: { error: unknown } | undefined;
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const key of rest) {
        if (failure) return;
        await work(key).catch((error: unknown) => {
          failure ??= { error };
        });
      }
    }),
  );
  // Only after all workers have stopped, because the caller then closes the stores.
  if (failure) throw failure.error;
}
