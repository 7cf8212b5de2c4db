// Deletes an account with everything in it. It disappears at once, in one transaction; then its files are deleted, and its row
// last, so that a crash half-way leaves nothing visible and the rest can be finished.
import { seconds, type Chore } from '#core/chore.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';
import { AccountError } from '#accounts/accounts.ts';
import { recordAct } from '#accounts/audit.ts';

/** Rows deleted per statement. */
const historyStep = 1_000;

export type AccountDeletion = ReturnType<typeof createAccountDeletion>;

export function createAccountDeletion(parts: {
  database: Database;
  clock: Clock;
  /** Each deletes the files of one kind that an account owns, with their rows. */
  purgeFiles: ((accountId: string) => Promise<void>)[];
}) {
  const { database, clock, purgeFiles } = parts;
  const { tables } = database;

  /** Deletes the files of deleted accounts, then their rows. */
  async function finish(): Promise<void> {
    for (const accountId of await tables.accounts.leaving()) {
      for (const purge of purgeFiles) await purge(accountId);
      // In steps, because other writers wait for each.
      while ((await tables.accounts.purgeHistory(accountId, historyStep)) > 0);
      await tables.accounts.purge(accountId);
    }
  }

  const chores: Chore[] = [{ name: 'deletion of accounts', everyMs: seconds(15), run: finish }];

  return {
    /**
     * Throws for the last owner: somebody must be able to manage the installation. `by` is the owner who deletes somebody
     * else's account.
     */
    async begin(accountId: string, by?: AccountRow): Promise<void> {
      await database.transaction(async (tables) => {
        const account = await tables.accounts.byId(accountId);
        if (account?.owner === 1 && (await tables.accounts.countOwners()) === 1) {
          throw new AccountError(
            'is the only owner; make another account owner first (npx tintype account update)',
          );
        }
        // Suspended: no link resolves and no key works from this moment on. The address is free for another account.
        await tables.accounts.update(accountId, {
          deleted_at: clock.now(),
          suspended: 1,
          owner: 0,
          email: `deleted ${accountId}`,
        });
        await tables.people.delete(accountId);
        await tables.auditLog.forgetTarget(accountId);
        if (by && account)
          await recordAct(tables, by, clock.now(), {
            action: 'account.delete',
            detail: { id: accountId, plan: account.plan },
          });
      });
    },
    finish,
    chores,
  };
}
