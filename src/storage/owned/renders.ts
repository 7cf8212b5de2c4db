// One account's renders.
import type { Kysely } from 'kysely';
import { contains, olderThan, type PageOptions } from '#storage/owned/page.ts';
import type { RenderKind, RenderRow, Schema } from '#storage/schema.ts';

export interface RenderFilter {
  search?: string | undefined;
  kind?: RenderKind | undefined;
  status?: 'done' | 'failed' | undefined;
}

export function createOwnedRenders(db: Kysely<Schema>, accountId: string) {
  return {
    /** Newest first. A hosted one leaves the history when its link expires. */
    page(
      { search, kind, status }: RenderFilter,
      { after, limit }: PageOptions,
      now: number,
    ): Promise<RenderRow[]> {
      let query = db
        .selectFrom('renders')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('deleted_at', 'is', null)
        .where(({ eb, or }) =>
          or([eb('hosted', '=', 0), eb('expires_at', 'is', null), eb('expires_at', '>', now)]),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      if (after) query = query.where(olderThan(after));
      if (search !== undefined) query = query.where(contains('target', search));
      if (kind !== undefined) query = query.where('kind', '=', kind);
      if (status !== undefined) query = query.where('failure', status === 'failed' ? 'is not' : 'is', null);
      return query.execute();
    },
    /** Those of the given ids that were there and are not any more. */
    async markDeleted(ids: string[], now: number): Promise<string[]> {
      const rows = await db
        .updateTable('renders')
        .set({ deleted_at: now })
        .where('account_id', '=', accountId)
        .where('id', 'in', ids)
        .where('deleted_at', 'is', null)
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Every row, the dead too: what goes when the account goes. */
    async ids(limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('renders')
        .select('id')
        .where('account_id', '=', accountId)
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}
