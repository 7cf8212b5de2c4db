// Queries on the variants of pictures.
import { sql, type Kysely } from 'kysely';
import type { Schema, VariantRow } from '#storage/schema.ts';

export function createVariantsTable(db: Kysely<Schema>) {
  return {
    byKeys: (keys: string[]): Promise<VariantRow[]> =>
      db.selectFrom('variants').selectAll().where('key', 'in', keys).execute(),
    /** Replaces what was known of it. False if its upload or render is gone. */
    async record(row: VariantRow): Promise<boolean> {
      const { numAffectedRows = 0n } = await sql`
        insert into variants (key, owner_id, account_id, size_bytes, sha256, failure, created_at)
        select ${row.key}, ${row.owner_id}, ${row.account_id}, cast(${row.size_bytes} as integer), ${row.sha256}, ${row.failure},
          cast(${row.created_at} as bigint)
        where exists (select 1 from uploads where id = ${row.owner_id} and deleted_at is null)
          or exists (select 1 from renders where id = ${row.owner_id} and deleted_at is null)
        on conflict (key) do update set
          size_bytes = excluded.size_bytes, sha256 = excluded.sha256, failure = excluded.failure, created_at = excluded.created_at`.execute(
        db,
      );
      return numAffectedRows > 0n;
    },
    /** The keys of the stored variants, by the id of their upload or render. */
    async keysOf(ownerIds: string[]): Promise<Map<string, string[]>> {
      const keys = new Map<string, string[]>(ownerIds.map((id) => [id, []]));
      if (ownerIds.length === 0) return keys;
      const rows = await db
        .selectFrom('variants')
        .select(['key', 'owner_id'])
        .where('owner_id', 'in', ownerIds)
        .where('sha256', 'is not', null)
        .execute();
      for (const { key, owner_id } of rows) keys.get(owner_id)?.push(key);
      return keys;
    },
  };
}
