// One account's request log.
import type { Kysely } from 'kysely';
import { olderThan, type PageOptions } from '#storage/owned/page.ts';
import type { RequestLogRow, Schema } from '#storage/schema.ts';

export interface RequestFilter {
  outcome?: 'succeeded' | 'failed' | undefined;
  keyId?: string | undefined;
  id?: string | undefined;
}

export function createOwnedRequests(db: Kysely<Schema>, accountId: string) {
  return {
    page({ outcome, keyId, id }: RequestFilter, { after, limit }: PageOptions): Promise<RequestLogRow[]> {
      let query = db
        .selectFrom('request_log')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      if (after) query = query.where(olderThan(after));
      if (id !== undefined) query = query.where('id', '=', id);
      if (keyId !== undefined) query = query.where('key_id', '=', keyId);
      if (outcome !== undefined) query = query.where('status', outcome === 'failed' ? '>=' : '<', 400);
      return query.execute();
    },
  };
}
