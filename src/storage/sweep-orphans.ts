// Drops blobs that never got a row because the process died in between, and spools of dead processes.
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
    for (const key of old.filter((candidate) => !known.has(candidate))) {
      await blobs.delete(key);
      dropped += 1;
    }
  }
  return dropped;
}
