// Queries on API keys.
import { sql, type Kysely } from 'kysely';
import type { ApiKeyRow, KeyAddressRow, Schema } from '#storage/schema.ts';
import { createStatement } from '#storage/statement.ts';
import { holderColumns, type Holder } from '#storage/tables/holder.ts';
import { storedPlan } from '#storage/tables/plans.ts';

/** A key and the permissions of its account, in one look-up. */
export type KeyHolder = Pick<
  ApiKeyRow,
  'id' | 'account_id' | 'revoked_at' | 'scope' | 'expires_at' | 'uploads_per_month' | 'renders_per_month'
> &
  Holder;

/**
 * A key is refused this long before its end. Machines know the database's time only to a fraction of a second, and a key that
 * one of them revokes must be refused by the others on the next request. A rotated key loses two seconds of its grace period.
 */
export const revocationSkewMs = 2_000;

/** Enough for a person to notice an address that they do not know. */
export const addressesPerKey = 5;

/** The columns of a key that its holder needs. */
export const keyColumns = sql`
  api_keys.id, account_id, revoked_at, scope, expires_at, uploads_per_month, renders_per_month`;

const findHolder = createStatement(
  (keyHash: string) => sql<KeyHolder>`
    select ${keyColumns}, ${holderColumns}, ${storedPlan} as stored_plan
    from api_keys join accounts on accounts.id = account_id
    where key_hash = ${keyHash}`,
);

export function createApiKeysTable(db: Kysely<Schema>) {
  return {
    async insert(row: ApiKeyRow): Promise<void> {
      await db.insertInto('api_keys').values(row).execute();
    },
    async holderOf(keyHash: string): Promise<KeyHolder | undefined> {
      const [holder] = await findHolder(db, keyHash);
      return holder;
    },
    listOf: (accountId: string): Promise<ApiKeyRow[]> =>
      db
        .selectFrom('api_keys')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    /** Revokes a key; an earlier end stays as it is. Undefined if there is no such key. */
    revoke: (id: string, now: number): Promise<ApiKeyRow | undefined> =>
      db
        .updateTable('api_keys')
        .set({ revoked_at: sql`case when revoked_at < ${now} then revoked_at else ${now} end` })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    async touch(ids: string[], now: number): Promise<void> {
      await db.updateTable('api_keys').set({ last_used_at: now }).where('id', 'in', ids).execute();
    },
    /** Keeps the newest addresses of each key. A key that was deleted meanwhile is left out. */
    async noteAddresses(uses: KeyAddressRow[]): Promise<void> {
      const rows = uses.map(
        ({ key_id, address, last_used_at }) => sql`(${key_id}, ${address}, cast(${last_used_at} as bigint))`,
      );
      // In order, so that two machines that write the same rows do not wait for each other.
      await sql`
        with used (key_id, address, last_used_at) as (values ${sql.join(rows)})
        insert into key_addresses (key_id, address, last_used_at)
        select key_id, address, used.last_used_at from used join api_keys on api_keys.id = key_id
        where true order by key_id, address
        on conflict (key_id, address) do update set last_used_at = excluded.last_used_at`.execute(db);
      await sql`
        delete from key_addresses where key_id in (${sql.join(uses.map(({ key_id }) => key_id))}) and (
          select count(*) from key_addresses as newer
          where newer.key_id = key_addresses.key_id and (
            newer.last_used_at > key_addresses.last_used_at
            or (newer.last_used_at = key_addresses.last_used_at and newer.address > key_addresses.address)
          )
        ) >= ${sql.lit(addressesPerKey)}`.execute(db);
    },
  };
}
