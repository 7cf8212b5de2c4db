// Queries on the usage counters and their ledger. One guarded statement updates a counter, in the same transaction as the ledger
// row, so that the counter always equals the sum of the ledger.
import { sql, type Kysely } from 'kysely';
import type { AccountRow, Schema, Unit, UsageCounterRow, UsageEventRow } from '#storage/schema.ts';
import { insertRows } from '#storage/insert-rows.ts';
import { createStatement } from '#storage/statement.ts';

export interface CounterKey {
  accountId: string;
  unit: Unit;
  month: string;
}

interface KeyUnits extends Pick<CounterKey, 'accountId' | 'unit'> {
  keyId: string;
}

export interface Usage {
  used: number;
  overage: number;
}

type AccountOverage = Pick<AccountRow, 'id' | 'email' | 'plan'> & Pick<UsageCounterRow, 'unit' | 'overage'>;

const addUnits = createStatement(
  (accountId: string, unit: Unit, month: string, count: number, limit: number, max: number) => sql<Usage>`
    update usage_counters
    set used = used + cast(${count} as integer), overage = overage + case
      when used >= cast(${limit} as bigint) then cast(${count} as integer)
      when used + cast(${count} as integer) > cast(${limit} as bigint)
        then used + cast(${count} as integer) - cast(${limit} as integer)
      else 0 end
    where account_id = ${accountId} and unit = ${unit} and month = ${month}
      and used + cast(${count} as integer) <= cast(${max} as bigint)
    returning used, overage`,
);

const addToDay = createStatement(
  (accountId: string, day: number, unit: Unit, keyId: string, used: number, overage: number) => sql`
    insert into usage_days (account_id, day, unit, key_id, used, overage)
    values (${accountId}, ${day}, ${unit}, ${keyId}, ${used}, ${overage})
    on conflict (account_id, day, unit, key_id)
    do update set used = usage_days.used + excluded.used, overage = usage_days.overage + excluded.overage`,
);

export function createUsageTable(db: Kysely<Schema>) {
  /**
   * Takes `count` units if usage then stays at or under `below`; otherwise returns undefined. Units past `limit` count as overage.
   * `below` is Infinity for a unit that is already reserved or has no cap.
   */
  async function take(
    counter: CounterKey,
    limit: number,
    below: number,
    count = 1,
  ): Promise<Usage | undefined> {
    const moved = await move(counter, limit, below, count);
    if (moved) return moved;
    // Either the month has no counter yet, or another transaction is creating it (then this waits), or the quota is used up.
    await open(counter);
    return move(counter, limit, below, count);
  }

  async function move(
    { accountId, unit, month }: CounterKey,
    limit: number,
    below: number,
    count: number,
  ): Promise<Usage | undefined> {
    const max = Math.min(below, Number.MAX_SAFE_INTEGER);
    const [usage] = await addUnits(db, accountId, unit, month, count, limit, max);
    return usage;
  }

  /** Creates the counter if it does not exist. */
  async function open({ accountId, unit, month }: CounterKey): Promise<void> {
    await db
      .insertInto('usage_counters')
      .values({ account_id: accountId, unit, month, used: 0, overage: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  return {
    take,
    /** Records entries of the same account, unit and time. */
    async record(...events: UsageEventRow[]): Promise<void> {
      const [event] = events;
      if (!event) return;
      await insertRows(db, 'usage_events', events);
      const overage = events.filter((other) => other.overage === 1).length;
      const { account_id, created_at, unit, key_id } = event;
      await addToDay(db, account_id, dayOf(created_at), unit, key_id ?? '', events.length, overage);
    },
    /** Reads the counter and locks it until the transaction ends. */
    async lock(counter: CounterKey): Promise<Usage> {
      await open(counter);
      return db
        .updateTable('usage_counters')
        .set({ used: sql`used` })
        .where('account_id', '=', counter.accountId)
        .where('unit', '=', counter.unit)
        .where('month', '=', counter.month)
        .returning(['used', 'overage'])
        .executeTakeFirstOrThrow();
    },
    ...createUsageReads(db),
  };
}

function createUsageReads(db: Kysely<Schema>) {
  return {
    ofAccounts: (accountIds: string[], month: string): Promise<UsageCounterRow[]> =>
      db
        .selectFrom('usage_counters')
        .selectAll()
        .where('account_id', 'in', accountIds)
        .where('month', '=', month)
        .execute(),
    /** Every account that exceeded its quota in a month. */
    overagesOf: (month: string): Promise<AccountOverage[]> =>
      db
        .selectFrom('usage_counters')
        .innerJoin('accounts', 'accounts.id', 'usage_counters.account_id')
        .select(['accounts.id', 'accounts.email', 'accounts.plan', 'unit', 'overage'])
        .where('month', '=', month)
        .where('overage', '>', 0)
        .orderBy('accounts.email')
        .execute(),
    /** Units that a key has used since a day. Exact while the account's counter is locked. */
    async ofKeySince({ accountId, unit, keyId }: KeyUnits, day: number): Promise<number> {
      const { used } = await db
        .selectFrom('usage_days')
        .select(({ fn }) => fn.sum<number | null>('used').as('used'))
        .where('account_id', '=', accountId)
        .where('day', '>=', day)
        .where('unit', '=', unit)
        .where('key_id', '=', keyId)
        .executeTakeFirstOrThrow();
      return used ?? 0;
    },
    async read({ accountId, unit, month }: CounterKey): Promise<Usage> {
      const row = await db
        .selectFrom('usage_counters')
        .select(['used', 'overage'])
        .where('account_id', '=', accountId)
        .where('unit', '=', unit)
        .where('month', '=', month)
        .executeTakeFirst();
      return row ?? { used: 0, overage: 0 };
    },
    /** The sum of the ledger, to check that it equals the counter. */
    async sumOfLedger({ accountId, unit, month }: CounterKey): Promise<Usage> {
      const { used, overage } = await db
        .selectFrom('usage_events')
        .select(({ fn }) => [
          fn.countAll<number>().as('used'),
          fn.sum<number | null>('overage').as('overage'),
        ])
        .where('account_id', '=', accountId)
        .where('unit', '=', unit)
        .where('month', '=', month)
        .executeTakeFirstOrThrow();
      return { used, overage: overage ?? 0 };
    },
  };
}

/** Whole days since the epoch, UTC. */
export const dayOf = (now: number): number => Math.floor(now / 86_400_000);
