// One account's request log.
import type { Kysely } from 'kysely';
import { inDays, newestFirst, type PageOptions } from '#storage/owned/page.ts';
import type { RequestDayRow, RequestLogRow, Schema } from '#storage/schema.ts';

export interface RequestFilter {
  outcome?: 'succeeded' | 'failed' | '4xx' | '5xx' | undefined;
  path?: string | undefined;
  /** Not older than this. */
  since?: number | undefined;
  /** Older than this. */
  until?: number | undefined;
  keyId?: string | undefined;
  id?: string | undefined;
}

const statuses = { succeeded: [0, 400], failed: [400, 600], '4xx': [400, 500], '5xx': [500, 600] } as const;

export function createOwnedRequests(db: Kysely<Schema>, accountId: string) {
  return {
    page(
      { outcome, path, since, until, keyId, id }: RequestFilter,
      page: PageOptions,
    ): Promise<RequestLogRow[]> {
      let query = db
        .selectFrom('request_log')
        .selectAll()
        .where('account_id', '=', accountId)
        .$call(newestFirst(page));
      if (id !== undefined) query = query.where('id', '=', id);
      if (keyId !== undefined) query = query.where('key_id', '=', keyId);
      if (path !== undefined) query = query.where('path', '=', path);
      if (since !== undefined) query = query.where('created_at', '>=', since);
      if (until !== undefined) query = query.where('created_at', '<', until);
      if (outcome !== undefined) {
        const [from, to] = statuses[outcome];
        query = query.where('status', '>=', from).where('status', '<', to);
      }
      return query.execute();
    },
    days: (fromDay: number, toDay: number): Promise<RequestDayRow[]> =>
      db
        .selectFrom('request_days')
        .selectAll()
        .where(inDays(accountId, fromDay, toDay))
        .orderBy('day')
        .execute(),
  };
}
