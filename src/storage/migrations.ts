// The migrations of the database schema. They run at start, in order, each once, and are never edited after a release.
import { PostgresAdapter, sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { dashboardMigration } from '#storage/migrations/dashboard.ts';
import { keysByTimeMigration } from '#storage/migrations/keys-by-time.ts';
import { requestDetailsMigration } from '#storage/migrations/request-details.ts';
import { secondFactorsMigration } from '#storage/migrations/second-factors.ts';
import type { Schema } from '#storage/schema.ts';

const migrations: Record<string, Migration> = {
  '0001_accounts_uploads_usage': {
    async up(db) {
      await db.schema
        .createTable('accounts')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('email', 'text', (column) => column.notNull().unique())
        .addColumn('plan', 'text', (column) => column.notNull())
        .addColumn('verified', 'integer', (column) => column.notNull())
        .addColumn('suspended', 'integer', (column) => column.notNull())
        .addColumn('overages', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();

      await db.schema
        .createTable('api_keys')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) =>
          column.notNull().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('key_hash', 'text', (column) => column.notNull().unique())
        .addColumn('display', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('last_used_at', 'bigint')
        .addColumn('revoked_at', 'bigint')
        .execute();
      await db.schema.createIndex('api_keys_account').on('api_keys').column('account_id').execute();

      await db.schema
        .createTable('usage_counters')
        .addColumn('account_id', 'text', (column) =>
          column.notNull().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('unit', 'text', (column) => column.notNull())
        .addColumn('month', 'text', (column) => column.notNull())
        .addColumn('used', 'integer', (column) => column.notNull())
        .addColumn('overage', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('usage_counters_key', ['account_id', 'unit', 'month'])
        .execute();

      await db.schema
        .createTable('usage_events')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) =>
          column.notNull().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('key_id', 'text')
        .addColumn('unit', 'text', (column) => column.notNull())
        .addColumn('month', 'text', (column) => column.notNull())
        .addColumn('source_id', 'text', (column) => column.notNull().unique())
        .addColumn('overage', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('usage_events_account_time')
        .on('usage_events')
        .columns(['account_id', 'created_at'])
        .execute();

      await db.schema
        .createTable('uploads')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('slug', 'text', (column) => column.notNull().unique())
        .addColumn('account_id', 'text', (column) =>
          column.notNull().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('key_id', 'text')
        .addColumn('filename', 'text', (column) => column.notNull())
        .addColumn('content_type', 'text', (column) => column.notNull())
        .addColumn('size_bytes', 'integer', (column) => column.notNull())
        .addColumn('width', 'integer')
        .addColumn('height', 'integer')
        .addColumn('sha256', 'text', (column) => column.notNull())
        .addColumn('delete_token_hash', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint')
        .addColumn('deleted_at', 'bigint')
        .execute();
      await db.schema
        .createIndex('uploads_account_time')
        .on('uploads')
        .columns(['account_id', 'created_at', 'id'])
        .execute();
      await db.schema
        .createIndex('uploads_expiring')
        .on('uploads')
        .column('expires_at')
        .where('expires_at', 'is not', null)
        .execute();
      await db.schema
        .createIndex('uploads_deleted')
        .on('uploads')
        .column('deleted_at')
        .where('deleted_at', 'is not', null)
        .execute();
    },
  },

  '0002_renders_idempotency': {
    async up(db) {
      await db.schema
        .createTable('renders')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) =>
          column.notNull().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('key_id', 'text')
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('target', 'text', (column) => column.notNull())
        .addColumn('failure', 'text')
        .addColumn('options', 'text', (column) => column.notNull())
        .addColumn('content_type', 'text', (column) => column.notNull())
        .addColumn('size_bytes', 'integer')
        .addColumn('duration_ms', 'integer')
        .addColumn('sha256', 'text')
        .addColumn('hosted', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint')
        .addColumn('deleted_at', 'bigint')
        .execute();
      await db.schema
        .createIndex('renders_account_time')
        .on('renders')
        .columns(['account_id', 'created_at', 'id'])
        .execute();
      await db.schema.createIndex('renders_time').on('renders').column('created_at').execute();
      await db.schema
        .createIndex('renders_expiring')
        .on('renders')
        .column('expires_at')
        .where('expires_at', 'is not', null)
        .execute();
      await db.schema
        .createIndex('renders_deleted')
        .on('renders')
        .column('deleted_at')
        .where('deleted_at', 'is not', null)
        .execute();

      await db.schema
        .createTable('render_leases')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) =>
          column.notNull().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('render_leases_account').on('render_leases').column('account_id').execute();

      await db.schema
        .createTable('idempotency_keys')
        .addColumn('account_id', 'text', (column) =>
          column.notNull().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('endpoint', 'text', (column) => column.notNull())
        .addColumn('idempotency_key', 'text', (column) => column.notNull())
        .addColumn('fingerprint', 'text', (column) => column.notNull())
        .addColumn('attempt', 'text', (column) => column.notNull().unique())
        .addColumn('locked_until', 'bigint', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('status', 'integer')
        .addColumn('headers', 'text')
        .addColumn('body', 'text')
        .addColumn('render_id', 'text')
        .addPrimaryKeyConstraint('idempotency_keys_key', ['account_id', 'endpoint', 'idempotency_key'])
        .execute();
      await db.schema
        .createIndex('idempotency_keys_time')
        .on('idempotency_keys')
        .column('created_at')
        .execute();
    },
  },

  '0003_fleet': {
    /** State that machines share through the database; a single machine keeps it in memory. */
    async up(db) {
      if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
      // Unlogged: one-minute windows are not worth a WAL write. After a crash of the server they start again.
      await db.schema
        .createTable('request_windows')
        .modifyFront(sql`unlogged`)
        .addColumn('account_id', 'text', (column) =>
          column.primaryKey().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('ends_at', 'bigint', (column) => column.notNull())
        .addColumn('count', 'integer', (column) => column.notNull())
        .addColumn('refused', 'integer', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('chores')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('next_at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
  '0010_dashboard': dashboardMigration,
  '0011_wide_dimensions': {
    /** A PNG may be 2^32 - 1 pixels wide, and an SVG wider. SQLite's integers are already large enough. */
    async up(db) {
      if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
      await db.schema
        .alterTable('uploads')
        .alterColumn('width', (column) => column.setDataType('bigint'))
        .alterColumn('height', (column) => column.setDataType('bigint'))
        .execute();
    },
  },
  '0012_sealed_answers': {
    /** Stored responses of earlier versions contain delete tokens in plain text. They would have expired within a day. */
    async up(db) {
      await db.deleteFrom('idempotency_keys').execute();
    },
  },
  '0013_failed_renders': {
    /** Finds the failures to delete: only the newest of an account are kept. */
    async up(db) {
      await db.schema
        .createIndex('renders_failed')
        .on('renders')
        .columns(['account_id', 'created_at'])
        .where(sql<boolean>`failure is not null`)
        .execute();
    },
  },
  '0014_key_scope_expiry': {
    /** Existing keys keep full access and do not expire. */
    async up(db) {
      await db.schema
        .alterTable('api_keys')
        .addColumn('scope', 'text', (column) => column.notNull().defaultTo('all'))
        .execute();
      await db.schema.alterTable('api_keys').addColumn('expires_at', 'bigint').execute();
    },
  },
  '0015_second_factors': secondFactorsMigration,
  '0016_keys_by_time': keysByTimeMigration,
  '0017_request_details': requestDetailsMigration,
};

/** Migrates the database to this version. Throws if a newer version has written it. */
export async function migrate(db: Kysely<Schema>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const message = error instanceof Error ? error.message : '';
  const [, named = ''] = message.split('corrupted migrations: previously executed migration ');
  const [unknown] = /^[\w-]+/.exec(named) ?? [];
  throw new Error(
    unknown === undefined
      ? 'migrating the database failed'
      : `the database was written by a newer version of Tintype: it has the migration ${unknown}, which this version ` +
          'does not know; start that version, or restore a backup',
    { cause: error },
  );
}
