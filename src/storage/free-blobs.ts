// Getting rid of bytes: of what was deleted, and of what never got a row because its process died in between.
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

/** Those whose bytes are gone now. One that cannot go is left for the next sweep and holds up no other. */
export async function deleteBlobs(blobs: Blobs, ids: string[]): Promise<string[]> {
  const results = await Promise.allSettled(ids.map((id) => blobs.delete(id)));
  return ids.filter((_, index) => results[index]?.status === 'fulfilled');
}
