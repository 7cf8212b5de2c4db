// Getting rid of bytes: of what was deleted, and of what never got a row because its process died in between.
import { createTurns } from '#core/turns.ts';
import type { Blobs } from '#storage/blobs.ts';

/** Something in progress has a blob before it has a row; a blob that old has not. */
const orphanAgeMs = 60 * 60 * 1000;

export async function sweepOrphans(
  blobs: Blobs,
  existing: (ids: string[]) => Promise<Set<string>>,
  now: number,
): Promise<number> {
  await blobs.sweepSpools();
  let dropped = 0;
  for await (const batch of blobs.list()) {
    const old = batch.filter(({ modifiedAt }) => modifiedAt <= now - orphanAgeMs).map(({ key }) => key);
    const known = old.length > 0 ? await existing(old) : new Set<string>();
    const orphans = old.filter((key) => !known.has(key));
    dropped += (await deleteBlobs(blobs, orphans)).length;
  }
  return dropped;
}

/** Few at a time: uploads and downloads meanwhile need the same threads and the same disk. */
const atOnce = 8;

/** Those whose bytes are gone now. One that cannot go is left for the next sweep and holds up no other. */
export async function deleteBlobs(blobs: Blobs, ids: string[]): Promise<string[]> {
  const inTurn = createTurns(atOnce);
  const results = await Promise.allSettled(ids.map((id) => inTurn(() => blobs.delete(id))));
  return ids.filter((_, index) => results[index]?.status === 'fulfilled');
}

const purgeBatch = 200;

/** Deletes everything of one kind that an account owns: bytes first, then their rows. Throws when bytes are left. */
export async function purgeOwned(
  blobs: Blobs,
  nextIds: (limit: number) => Promise<string[]>,
  purgeRows: (ids: string[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const ids = await nextIds(purgeBatch);
    if (ids.length === 0) return;
    const gone = await deleteBlobs(blobs, ids);
    if (gone.length > 0) await purgeRows(gone);
    if (gone.length < ids.length) throw new Error(`${ids.length - gone.length} files could not be deleted`);
  }
}
