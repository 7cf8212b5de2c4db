// Queries on the leases of renders in progress. A job is its own lease: while it runs it holds a slot, and its units are reserved from
// the moment it waits.
import { sql, type Kysely } from 'kysely';
import type { RenderLeaseRow, Schema } from '#storage/schema.ts';

export interface LiveRenders {
  /** Capture slots that are held. */
  leases: number;
  /** Reserved. */
  units: number;
  queued: number;
}

export function createRenderLeasesTable(db: Kysely<Schema>) {
  return {
    /** Renders of the account that run and that are queued, and the units of both. Exact while the account's counter is locked. */
    async live(accountId: string, now: number): Promise<LiveRenders> {
      const { rows } = await sql<LiveRenders>`
        select leases.held + jobs.running as leases, leases.units + jobs.units as units, jobs.queued as queued
        from (
          select count(*) as held, coalesce(sum(units), 0) as units
          from render_leases where account_id = ${accountId} and expires_at > ${now}
        ) as leases, (
          select coalesce(sum(case when leased_until > ${now} then 1 else 0 end), 0) as running,
            coalesce(sum(case when leased_until > ${now} then 0 else 1 end), 0) as queued, coalesce(sum(units), 0) as units
          from render_jobs where account_id = ${accountId}
        ) as jobs`.execute(db);
      return rows[0] ?? { leases: 0, units: 0, queued: 0 };
    },
    /** Units that the key's renders have reserved. Exact while the account's counter is locked. */
    async unitsOfKey(accountId: string, keyId: string, now: number): Promise<number> {
      const { rows } = await sql<{ units: number }>`
        select (
          select coalesce(sum(units), 0) from render_leases
          where account_id = ${accountId} and expires_at > ${now} and key_id = ${keyId}
        ) + (
          select coalesce(sum(units), 0) from render_jobs where account_id = ${accountId} and key_id = ${keyId}
        ) as units`.execute(db);
      return rows[0]?.units ?? 0;
    },
    async insert(row: RenderLeaseRow): Promise<void> {
      await db.insertInto('render_leases').values(row).execute();
    },
    async extend(id: string, expiresAt: number): Promise<void> {
      await db
        .updateTable('render_leases')
        .set({ expires_at: expiresAt })
        .where('id', '=', id)
        .where('expires_at', '<', expiresAt)
        .execute();
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('render_leases').where('id', '=', id).execute();
    },
    async purgeExpired(now: number): Promise<void> {
      await db.deleteFrom('render_leases').where('expires_at', '<=', now).execute();
    },
  };
}
