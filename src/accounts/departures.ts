// Deleting an account with everything in it. It stops existing at once, in one transaction; its files follow, and its row
// goes last, so that a crash half-way leaves something to finish and nothing to see.
import type { Clock } from '#core/clock.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';

const batch = 200;

export type Departures = ReturnType<typeof createDepartures>;

export function createDepartures(parts: {
  database: Database;
  uploadBlobs: Blobs;
  renderBlobs: Blobs;
  clock: Clock;
  onChange: () => void;
}) {
  const { database, uploadBlobs, renderBlobs, clock, onChange } = parts;
  const { tables } = database;

  async function finish(): Promise<void> {
    for (const accountId of await tables.accounts.leaving()) {
      const { uploads, renders } = tables.ownedBy(accountId);
      await freeAll(uploads.ids, uploadBlobs, tables.uploads.purge);
      await freeAll(renders.ids, renderBlobs, tables.renders.purge);
      await tables.accounts.purge(accountId);
    }
  }

  return {
    async begin(accountId: string): Promise<void> {
      await database.transaction(async (tables) => {
        // Suspended: no link resolves and no key works, from this moment on. The address is free for another account.
        await tables.accounts.update(accountId, {
          deleted_at: clock.now(),
          suspended: 1,
          owner: 0,
          email: `deleted ${accountId}`,
        });
        await tables.people.delete(accountId);
        await tables.auditLog.forgetTarget(accountId);
      });
      onChange();
    },
    /** Frees the files of departed accounts, then their rows. */
    finish,
  };
}

async function freeAll(
  next: (limit: number) => Promise<string[]>,
  blobs: Blobs,
  purge: (ids: string[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const ids = await next(batch);
    if (ids.length === 0) return;
    await Promise.all(ids.map((id) => blobs.delete(id)));
    await purge(ids);
  }
}
