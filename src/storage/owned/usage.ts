// One account's usage by day.
import type { Kysely } from 'kysely';
import type { Schema, Unit, UsageCounterRow, UsageDayRow, UsageEventRow } from '#storage/schema.ts';
import { inDays, newestFirst, type PageOptions } from '#storage/owned/page.ts';

export function createOwnedUsage(db: Kysely<Schema>, accountId: string) {
  return {
    days: (fromDay: number, toDay: number): Promise<UsageDayRow[]> =>
      db
        .selectFrom('usage_days')
        .selectAll()
        .where(inDays(accountId, fromDay, toDay))
        .orderBy('day')
        .orderBy('unit')
        .orderBy('key_id')
        .execute(),
    byKey: (fromDay: number): Promise<{ key_id: string; unit: Unit; used: number }[]> =>
      db
        .selectFrom('usage_days')
        .select(({ fn }) => ['key_id', 'unit', fn.sum<number>('used').as('used')])
        .where('account_id', '=', accountId)
        .where('day', '>=', fromDay)
        .groupBy(['key_id', 'unit'])
        .execute(),
    counters: (): Promise<UsageCounterRow[]> =>
      db
        .selectFrom('usage_counters')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('month')
        .execute(),
    /** The ledger, newest first. An entry's id is the id of the upload or render that it paid for. */
    events: (page: PageOptions): Promise<(UsageEventRow & { id: string })[]> =>
      db
        .selectFrom('usage_events')
        .selectAll()
        .select('source_id as id')
        .where('account_id', '=', accountId)
        .$call(newestFirst(page, 'source_id'))
        .execute(),
  };
}
