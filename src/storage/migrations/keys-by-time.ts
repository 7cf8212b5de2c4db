// Makes account and time the primary key of the ledger and the request log, which only grow at their end: a new row is stored after
// the account's last one. Random ids put each row on a different page, and with many rows those pages no longer fit in memory.
import { PostgresAdapter, sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const keysByTimeMigration: Migration = {
  async up(db) {
    if (db.getExecutor().adapter instanceof PostgresAdapter) await alterTables(db);
    else await rebuildTables(db);
  },
};

async function alterTables(db: Kysely<unknown>): Promise<void> {
  await sql`drop index usage_events_account_time`.execute(db);
  await sql`
    alter table usage_events drop constraint usage_events_source_id_key, drop column id,
      add primary key (account_id, created_at, source_id)`.execute(db);
  await sql`drop index request_log_account_time`.execute(db);
  await sql`
    alter table request_log drop constraint request_log_pkey, add primary key (account_id, created_at, id)`.execute(
    db,
  );
}

/** SQLite cannot change the primary key of a table. Without a rowid, rows are stored in the order of the key. */
async function rebuildTables(db: Kysely<unknown>): Promise<void> {
  await sql`alter table usage_events rename to usage_events_before`.execute(db);
  await sql`
    create table usage_events (
      account_id text not null references accounts (id) on delete cascade, created_at bigint not null, source_id text not null,
      key_id text, unit text not null, month text not null, overage integer not null,
      primary key (account_id, created_at, source_id)
    ) without rowid`.execute(db);
  await sql`
    insert into usage_events (account_id, created_at, source_id, key_id, unit, month, overage)
    select account_id, created_at, source_id, key_id, unit, month, overage from usage_events_before`.execute(
    db,
  );
  await sql`drop table usage_events_before`.execute(db);

  await sql`alter table request_log rename to request_log_before`.execute(db);
  await sql`drop index request_log_time`.execute(db);
  await sql`
    create table request_log (
      account_id text not null references accounts (id) on delete cascade, created_at bigint not null, id text not null,
      key_id text, path text not null, status integer not null, code text, reason text, duration_ms integer not null,
      primary key (account_id, created_at, id)
    ) without rowid`.execute(db);
  await sql`
    insert into request_log (account_id, created_at, id, key_id, path, status, code, reason, duration_ms)
    select account_id, created_at, id, key_id, path, status, code, reason, duration_ms from request_log_before`.execute(
    db,
  );
  await sql`drop table request_log_before`.execute(db);
  await sql`create index request_log_time on request_log (created_at)`.execute(db);
}
