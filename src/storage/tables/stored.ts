// Queries that uploads and renders share.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { ownerOf } from '#core/ids.ts';
import type { Cursor } from '#storage/owned/page.ts';
import type { Schema } from '#storage/schema.ts';

type StoredTable = 'uploads' | 'renders';

/** A row, whether its owner is suspended, which decides whether it resolves, and what the owner's webhooks are told of. */
type Resolved<Table extends StoredTable> = Schema[Table] & {
  owner_suspended: number;
  owner_webhook_events: string;
};

export interface StoredTotals {
  files: number;
  bytes: number;
}

/** Made before the one and after the other of these times, and at neither of them. */
export interface TimeFilter {
  before?: number | undefined;
  since?: number | undefined;
}

/** Sizes, names and tags have no index in order of time, so at most this many of the newest rows are read to sort, sum or search them. */
export const maxRead = 20_000;

/** What a query selects to add up its rows. */
export const totals = [
  sql<number>`count(*)`.as('files'),
  sql<number>`coalesce(sum(size_bytes), 0)`.as('bytes'),
] as const;

export function createStored<Table extends StoredTable>(db: Kysely<Schema>, table: Table) {
  async function by(column: 'id' | 'slug', value: string): Promise<Resolved<Table> | undefined> {
    const { rows } = await sql<Resolved<Table>>`
      select ${sql.table(table)}.*, accounts.suspended as owner_suspended,
        accounts.webhook_events as owner_webhook_events
      from ${sql.table(table)} inner join accounts on accounts.id = account_id
      where ${sql.ref(`${table}.${column}`)} = ${value}`.execute(db);
    return rows[0];
  }
  /** The given ids that have a row. */
  const existing = async (ids: string[]): Promise<Set<string>> =>
    new Set(await idsOf(db, sql`select id from ${sql.table(table)} where id in (${sql.join(ids)})`));

  return {
    by,
    byId: (id: string) => by('id', id),
    /** With what is known of their variants. */
    async purge(ids: string[]): Promise<void> {
      await forgetVariants(db, ids);
      await sql`delete from ${sql.table(table)} where id in (${sql.join(ids)})`.execute(db);
    },
    existing,
    /** The given keys of blobs whose owner has a row. */
    async existingKeys(keys: string[]): Promise<Set<string>> {
      const owners = await existing([...new Set(keys.map(ownerOf))]);
      return new Set(keys.filter((key) => owners.has(ownerOf(key))));
    },
  };
}

export async function forgetVariants(db: Kysely<Schema>, ownerIds: string[]): Promise<void> {
  await db.deleteFrom('variants').where('owner_id', 'in', ownerIds).execute();
}

/** The same for the rows of one account: soft deletion, and listing all ids. */
export function createOwnedStored(db: Kysely<Schema>, table: StoredTable, accountId: string) {
  /** Changes deleted rows that can still be restored. */
  const changeDeleted = (ids: string[], now: number, deletedAt: number | null): Promise<string[]> =>
    idsOf(
      db,
      sql`
      update ${sql.table(table)} set deleted_at = ${deletedAt}
      where account_id = ${accountId} and id in (${sql.join(ids)}) and deleted_at > ${now}
        and (expires_at is null or expires_at > ${now}) returning id`,
    );

  /** The last of the newest `maxRead` rows; undefined if there are fewer. */
  async function lastToRead({ after, before, since }: TimeFilter & { after?: Cursor | undefined }) {
    const { rows } = await sql<Cursor>`
      select created_at as "createdAt", id from ${sql.table(table)} where account_id = ${accountId}
        ${after ? sql`and (created_at, id) < (${after.createdAt}, ${after.id})` : sql``}
        ${before === undefined ? sql`` : sql`and created_at < ${before}`}
        ${since === undefined ? sql`` : sql`and created_at > ${since}`}
      order by created_at desc, id desc limit 1 offset ${maxRead - 1}`.execute(db);
    return rows[0];
  }

  return {
    lastToRead,
    /** Undoes the deletion. Returns the ids for which it was not too late. */
    restore: (ids: string[], now: number): Promise<string[]> => changeDeleted(ids, now, null),
    /** Makes deletions final at once. */
    purgeNow: (ids: string[], now: number): Promise<string[]> => changeDeleted(ids, now, now),
    /** Marks rows as deleted; their bytes may be deleted from `at` on. Returns the ids that were not deleted before. */
    markDeleted: (ids: string[], at: number): Promise<string[]> =>
      idsOf(
        db,
        sql`
        update ${sql.table(table)} set deleted_at = ${at}
        where account_id = ${accountId} and id in (${sql.join(ids)}) and deleted_at is null returning id`,
      ),
    /** Every row, deleted ones included, for the deletion of the account. */
    ids: (limit: number): Promise<string[]> =>
      idsOf(db, sql`select id from ${sql.table(table)} where account_id = ${accountId} limit ${limit}`),
  };
}

const idsOf = async (db: Kysely<Schema>, query: RawBuilder<{ id: string }>): Promise<string[]> =>
  (await query.execute(db)).rows.map(({ id }) => id);
