// One account's renders.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { contains, isWithin, newestFirst, type PageOptions } from '#storage/owned/page.ts';
import type { RenderKind, RenderRow, RenderState, Schema } from '#storage/schema.ts';
import {
  createOwnedStored,
  maxRead,
  totals,
  type StoredTotals,
  type TimeFilter,
} from '#storage/tables/stored.ts';

export interface RenderFilter extends TimeFilter {
  search?: string | undefined;
  kinds?: RenderKind[] | undefined;
  status?: 'done' | 'failed' | undefined;
  reference?: string | undefined;
  state?: RenderState | undefined;
  /** Leaves out those that wait, run or were canceled. */
  isEnded?: boolean;
}

/** The renders of the account, and those that fit a filter. */
function rendersOf(db: Kysely<Schema>, accountId: string) {
  /** A hosted one leaves the history when its link expires. */
  const unexpired = (now: number) =>
    db
      .selectFrom('renders')
      .selectAll()
      .where('account_id', '=', accountId)
      .where(({ eb, or }) =>
        or([eb('hosted', '=', 0), eb('expires_at', 'is', null), eb('expires_at', '>', now)]),
      );
  const live = (now: number) => unexpired(now).where('deleted_at', 'is', null);

  /** A pending render has a job, which is leased while it runs. */
  const pending = (isRunning: RawBuilder<boolean>) => sql<boolean>`state = 'pending' and id in (
    select id from render_jobs where account_id = ${accountId} and ${isRunning})`;
  /** The condition of the index `renders_unsuccessful`, word for word: SQLite uses it for no other. */
  const unsuccessful = sql<boolean>`(state <> 'ended' or failure is not null)`;
  const inState: Record<RenderState, (now: number) => RawBuilder<boolean>> = {
    queued: (now) => sql`${unsuccessful} and ${pending(sql`leased_until <= ${now}`)}`,
    running: (now) => sql`${unsuccessful} and ${pending(sql`leased_until > ${now}`)}`,
    succeeded: () => sql`state = 'ended' and failure is null`,
    failed: () => sql`${unsuccessful} and state = 'ended'`,
    canceled: () => sql`${unsuccessful} and state = 'canceled'`,
  };

  function fitting(filter: RenderFilter, now: number) {
    const { search, kinds, status, reference, state, before, since } = filter;
    const { isEnded = status !== undefined } = filter;
    let query = live(now);
    if (search !== undefined) query = query.where(contains('target', search));
    if (kinds !== undefined) query = query.where('kind', 'in', kinds);
    if (status !== undefined) query = query.where('failure', status === 'failed' ? 'is not' : 'is', null);
    if (before !== undefined) query = query.where('created_at', '<', before);
    if (since !== undefined) query = query.where('created_at', '>', since);
    if (state !== undefined) query = query.where(inState[state](now));
    if (isEnded) query = query.where('state', '=', 'ended');
    if (reference !== undefined) query = query.where('reference', '=', reference);
    return query;
  }

  return { unexpired, live, fitting };
}

export function createOwnedRenders(db: Kysely<Schema>, accountId: string) {
  const { unexpired, live, fitting } = rendersOf(db, accountId);
  const { lastToRead, ...stored } = createOwnedStored(db, 'renders', accountId);

  /** Few renders may fit, among all of the account. References have an index. */
  const isSelective = ({ search, kinds, status, reference }: RenderFilter): boolean =>
    reference === undefined && [search, kinds, status].some((value) => value !== undefined);

  return {
    /** Bounds a page to the rows that are looked at for it. */
    bounded: async (filter: RenderFilter, page: PageOptions): Promise<PageOptions> =>
      isSelective(filter) ? { ...page, until: await lastToRead({ ...filter, after: page.after }) } : page,
    byId: (id: string, now: number): Promise<RenderRow | undefined> =>
      live(now).where('id', '=', id).executeTakeFirst(),
    /** What these renders are of, deleted ones too. */
    async targets(ids: string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('renders')
        .select(['id', 'target'])
        .where('account_id', '=', accountId)
        .where('id', 'in', ids)
        .execute();
      return new Map(rows.map(({ id, target }) => [id, target]));
    },
    /** Deleted renders that can be restored until `deleted_at`; the latest deletion first. */
    restorable: (now: number, limit: number): Promise<RenderRow[]> =>
      unexpired(now)
        .where('deleted_at', '>', now)
        .orderBy('deleted_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Newest first. */
    page: (filter: RenderFilter, page: PageOptions, now: number): Promise<RenderRow[]> =>
      fitting(filter, now).$call(newestFirst(page)).execute(),
    /** The ids of the newest that fit. */
    async idsOf(filter: RenderFilter, now: number): Promise<string[]> {
      const until = isSelective(filter) ? await lastToRead(filter) : undefined;
      const newest = fitting(filter, now).orderBy('created_at', 'desc').limit(maxRead);
      const rows = (until ? newest.where(isWithin(until)) : newest).as('renders');
      return (await db.selectFrom(rows).select('id').execute()).map(({ id }) => id);
    },
    /** What is hosted. */
    async totals(now: number): Promise<StoredTotals & { isMore: boolean }> {
      const rows = live(now)
        .where('hosted', '=', 1)
        .orderBy('created_at', 'desc')
        .limit(maxRead)
        .as('renders');
      const { files, bytes } = await db.selectFrom(rows).select(totals).executeTakeFirstOrThrow();
      return { files, bytes, isMore: files === maxRead };
    },
    ...stored,
    ...createResults(db, accountId),
  };
}

/** For how long results are kept, and what they answer. */
function createResults(db: Kysely<Schema>, accountId: string) {
  return {
    /** The newest result for the same request that ended after `since` and whose bytes are still there. */
    cached: (cacheKey: string, since: number, now: number): Promise<RenderRow | undefined> =>
      db
        .selectFrom('renders')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('cache_key', '=', cacheKey)
        .where('finished_at', '>', since)
        .where('deleted_at', 'is', null)
        .where(({ eb, and, or }) =>
          or([eb('expires_at', '>', now), and([eb('hosted', '=', 1), eb('expires_at', 'is', null)])]),
        )
        .orderBy('finished_at', 'desc')
        .limit(1)
        .executeTakeFirst(),
    /** It answers no other request any more. */
    async uncache(id: string): Promise<void> {
      await db
        .updateTable('renders')
        .set({ cache_key: null })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute();
    },
    /** Gives a render a hosted URL, if its bytes are kept; they are kept for as long as before at least, but not beyond `latest`. */
    async host(
      id: string,
      now: number,
      { expiresAt, latest }: { expiresAt: number | null; latest: number | null },
    ): Promise<void> {
      const longest = sql<number>`case
        when expires_at <= ${expiresAt} then ${expiresAt}
        when expires_at > ${latest ?? Number.MAX_SAFE_INTEGER} then ${latest}
        else expires_at end`;
      await db
        .updateTable('renders')
        .set({ hosted: 1, expires_at: expiresAt === null ? null : longest })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('hosted', '=', 0)
        .where('expires_at', '>', now)
        .where('deleted_at', 'is', null)
        .execute();
    },
    /** Hosts a render that is hosted at least so long; null for ever. */
    async extend(id: string, now: number, expiresAt: number | null): Promise<void> {
      await db
        .updateTable('renders')
        .set({ expires_at: expiresAt })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('hosted', '=', 1)
        .where('expires_at', '>', now)
        .where('expires_at', '<', expiresAt ?? Number.MAX_SAFE_INTEGER)
        .where('deleted_at', 'is', null)
        .execute();
    },
    /** Keeps the bytes of a render that is not hosted at least so long. */
    async keep(id: string, expiresAt: number): Promise<void> {
      await db
        .updateTable('renders')
        .set({ expires_at: expiresAt })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('hosted', '=', 0)
        .where('expires_at', '<', expiresAt)
        .where('deleted_at', 'is', null)
        .execute();
    },
  };
}
