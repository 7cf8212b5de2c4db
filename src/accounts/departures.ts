// Deleting an account with everything in it. It stops existing at once, in one transaction; its files follow, and its row
// goes last, so that a crash half-way leaves something to finish and nothing to see.
import type { Clock } from '#core/clock.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';

const batch = 200;

export type Departures = ReturnType<typeof createDepartures>;

export function createDepartures(parts: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  onChange: () => void;
}) {
  const { database, blobs, clock, onChange } = parts;

  async function finish(): Promise<void> {
    for (const accountId of await database.tables.accounts.leaving()) {
      const { uploads } = database.tables.ownedBy(accountId);
      for (;;) {
        const ids = await uploads.ids(batch);
        if (ids.length === 0) break;
        await Promise.all(ids.map((id) => blobs.delete(id)));
        await database.tables.uploads.purge(ids);
      }
      await database.tables.accounts.purge(accountId);
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
