// What the operator does to accounts in the dashboard. Each change and its row in the audit log are one transaction.
import type { Clock } from '#core/clock.ts';
import { newId } from '#core/ids.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';
import { AccountError, type Accounts, type AccountUpdate } from '#accounts/accounts.ts';

export type Administration = ReturnType<typeof createAdministration>;

export function createAdministration(parts: {
  database: Database;
  accounts: Accounts;
  clock: Clock;
  onChange: () => void;
}) {
  const { database, accounts, clock, onChange } = parts;

  const record = (tables: Tables, actor: AccountRow, action: string, target: AccountRow, detail: object) =>
    tables.auditLog.insert({
      id: newId(),
      actor_id: actor.id,
      actor_email: actor.email,
      action,
      target_id: target.id,
      target_email: target.email,
      detail: JSON.stringify(detail),
      created_at: clock.now(),
    });

  return {
    create(actor: AccountRow, email: string, plan: string): Promise<AccountRow> {
      return database.transaction(async (tables) => {
        const row = await accounts.insert(tables, email, { plan });
        await record(tables, actor, 'account.create', row, { plan });
        return row;
      });
    },

    /** Undefined when there is no such account. */
    async update(actor: AccountRow, id: string, change: AccountUpdate): Promise<AccountRow | undefined> {
      if (actor.id === id && change.suspended === true) {
        throw new AccountError('you cannot suspend your own account');
      }
      if (actor.id === id && change.verified === false) {
        throw new AccountError('nobody can take the verification from their own account');
      }
      const changed = await database.transaction(async (tables) => {
        const current = await tables.accounts.byId(id);
        if (!current) return undefined;
        const row = await tables.accounts.update(id, accounts.columnsOf(current, change));
        await record(tables, actor, actionOf(change), current, change);
        return row;
      });
      onChange();
      return changed;
    },
  };
}

function actionOf({ suspended }: AccountUpdate): string {
  if (suspended === undefined) return 'account.update';
  return suspended ? 'account.suspend' : 'account.reinstate';
}
