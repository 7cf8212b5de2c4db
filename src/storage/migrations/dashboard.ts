// Tables of the dashboard: people and their sessions (in the shape that better-auth expects), usage by day, the request log and
// the audit log.
import { PostgresAdapter, sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const dashboardMigration: Migration = {
  async up(db) {
    await db.schema
      .createTable('settings')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();

    for (const [name, type] of [
      ['owner', sql`integer not null default 0`],
      ['suspended_reason', sql`text`],
      ['overage_cap', sql`integer`],
      ['deleted_at', sql`bigint`],
    ] as const) {
      await db.schema.alterTable('accounts').addColumn(name, type).execute();
    }

    await createPeople(db);
    await createUsageDays(db);

    await db.schema
      .createTable('request_log')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) =>
        column.notNull().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('key_id', 'text')
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('status', 'integer', (column) => column.notNull())
      .addColumn('code', 'text')
      .addColumn('reason', 'text')
      .addColumn('duration_ms', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('request_log_account_time')
      .on('request_log')
      .columns(['account_id', 'created_at', 'id'])
      .execute();
    await db.schema.createIndex('request_log_time').on('request_log').column('created_at').execute();

    await db.schema
      .createTable('audit_log')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('actor_id', 'text', (column) => column.notNull())
      .addColumn('actor_email', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('target_id', 'text')
      .addColumn('target_email', 'text')
      .addColumn('detail', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('audit_log_time').on('audit_log').columns(['created_at', 'id']).execute();
  },
};

/** A person has the id of their account and is deleted with it. Names and types are those that better-auth requires. */
async function createPeople(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const date = isPostgres ? 'timestamptz' : 'date';
  const boolean = isPostgres ? 'boolean' : 'integer';

  await db.schema
    .createTable('people')
    .addColumn('id', 'text', (column) => column.primaryKey().references('accounts.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('email_verified', boolean, (column) => column.notNull())
    .addColumn('image', 'text')
    .addColumn('created_at', date, (column) => column.notNull())
    .addColumn('updated_at', date, (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('expires_at', date, (column) => column.notNull())
    .addColumn('address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('created_at', date, (column) => column.notNull())
    .addColumn('updated_at', date, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('sessions_person_id_idx').on('sessions').column('person_id').execute();

  await db.schema
    .createTable('credentials')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('provider_id', 'text', (column) => column.notNull())
    .addColumn('password', 'text')
    .addColumn('access_token', 'text')
    .addColumn('refresh_token', 'text')
    .addColumn('id_token', 'text')
    .addColumn('access_token_expires_at', date)
    .addColumn('refresh_token_expires_at', date)
    .addColumn('scope', 'text')
    .addColumn('created_at', date, (column) => column.notNull())
    .addColumn('updated_at', date, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('credentials_person_id_idx').on('credentials').column('person_id').execute();

  await db.schema
    .createTable('verifications')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('identifier', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('expires_at', date, (column) => column.notNull())
    .addColumn('created_at', date, (column) => column.notNull())
    .addColumn('updated_at', date, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('verifications_identifier_idx')
    .on('verifications')
    .column('identifier')
    .execute();
}

/** The ledger by day and key, updated in the ledger's transaction, so that a chart does not read a million events. */
async function createUsageDays(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_days')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('unit', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('used', 'integer', (column) => column.notNull())
    .addColumn('overage', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_days_key', ['account_id', 'day', 'unit', 'key_id'])
    .execute();
  await sql`
    insert into usage_days (account_id, day, unit, key_id, used, overage)
    select account_id, created_at / 86400000, unit, coalesce(key_id, ''), count(*), sum(overage)
    from usage_events group by 1, 2, 3, 4
  `.execute(db);
}
