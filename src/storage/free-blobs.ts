// Deletes blobs: those whose rows were deleted, and orphans that never got a row because the process died first.
import { createTurns } from '#core/turns.ts';
import type { Blobs } from '#storage/blobs.ts';

/** An upload in progress has a blob before it has a row, but none takes this long. */
const orphanAgeMs = 60 * 60 * 1000;

export async function sweepOrphans(
  blobs: Blobs,
  existing: (keys: string[]) => Promise<Set<string>>,
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

/** Few at a time, because uploads and downloads need the same threads and disk. */
const atOnce = 8;

/** The keys of what has several blobs, by id; anything else has one, under its id. */
export type KeysOf = (ids: string[]) => Promise<Map<string, string[]>>;

/** Returns the ids whose bytes are gone. A blob that cannot be deleted is left to the next sweep and does not stop the others. */
export async function deleteBlobs(
  blobs: Blobs,
  ids: string[],
  keysOf: KeysOf = async () => new Map(),
): Promise<string[]> {
  const inTurn = createTurns(atOnce);
  const keys = await keysOf(ids);
  const stuck = new Set<string>();
  const deleteOne = (id: string, key: string) =>
    inTurn(() => blobs.delete(key)).catch(() => {
      stuck.add(id);
    });
  await Promise.all(ids.flatMap((id) => (keys.get(id) ?? [id]).map((key) => deleteOne(id, key))));
  return ids.filter((id) => !stuck.has(id));
}

const purgeBatch = 200;

/** Deletes everything of one kind that an account owns: bytes first, then rows. Throws if some bytes could not be deleted. */
export async function purgeOwned(
  blobs: Blobs,
  nextIds: (limit: number) => Promise<string[]>,
  purgeRows: (ids: string[]) => Promise<void>,
  keysOf?: KeysOf,
): Promise<void> {
  for (;;) {
    const ids = await nextIds(purgeBatch);
    if (ids.length === 0) return;
    const gone = await deleteBlobs(blobs, ids, keysOf);
    if (gone.length > 0) await purgeRows(gone);
    if (gone.length < ids.length) throw new Error(`${ids.length - gone.length} files could not be deleted`);
  }
}
