// One account's renders.
import type { Kysely } from 'kysely';
import { contains, newestFirst, type PageOptions } from '#storage/owned/page.ts';
import type { RenderKind, RenderRow, Schema } from '#storage/schema.ts';
import { createOwnedStored } from '#storage/tables/stored.ts';

export interface RenderFilter {
  search?: string | undefined;
  kind?: RenderKind | undefined;
  status?: 'done' | 'failed' | undefined;
}

export function createOwnedRenders(db: Kysely<Schema>, accountId: string) {
  /** A hosted one leaves the history when its link expires. */
  const live = (now: number) =>
    db
      .selectFrom('renders')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .where(({ eb, or }) =>
        or([eb('hosted', '=', 0), eb('expires_at', 'is', null), eb('expires_at', '>', now)]),
      );

  return {
    byId: (id: string, now: number): Promise<RenderRow | undefined> =>
      live(now).where('id', '=', id).executeTakeFirst(),
    /** Newest first. */
    page({ search, kind, status }: RenderFilter, page: PageOptions, now: number): Promise<RenderRow[]> {
      let query = live(now).$call(newestFirst(page));
      if (search !== undefined) query = query.where(contains('target', search));
      if (kind !== undefined) query = query.where('kind', '=', kind);
      if (status !== undefined) query = query.where('failure', status === 'failed' ? 'is not' : 'is', null);
      return query.execute();
    },
    ...createOwnedStored(db, 'renders', accountId),
  };
}
