// Tables and columns for the dashboard: details of each request, sums by day for the charts, and quota warnings that wait to be mailed.
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The number when this migration was written; it must never change. */
const latencyBuckets = 12;

export const requestDetailsMigration: Migration = {
  async up(db) {
    await db.schema.alterTable('request_log').addColumn('phases', 'text').execute();
    await db.schema.alterTable('request_log').addColumn('made', 'text').execute();

    let days = db.schema
      .createTable('request_days')
      .addColumn('account_id', 'text', (column) =>
        column.notNull().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('refused', 'integer', (column) => column.notNull())
      .addColumn('failed', 'integer', (column) => column.notNull());
    for (let index = 0; index < latencyBuckets; index += 1)
      days = days.addColumn(`took_${index}`, 'integer', (column) => column.notNull());
    await days.addPrimaryKeyConstraint('request_days_key', ['account_id', 'day', 'key_id', 'path']).execute();
    await db.schema.createIndex('request_days_day').on('request_days').column('day').execute();

    await db.schema
      .createTable('quota_warnings')
      .addColumn('account_id', 'text', (column) =>
        column.notNull().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('month', 'text', (column) => column.notNull())
      .addColumn('unit', 'text', (column) => column.notNull())
      .addColumn('percent', 'integer', (column) => column.notNull())
      .addColumn('used', 'integer', (column) => column.notNull())
      .addColumn('quota', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('sent_at', 'bigint')
      .addPrimaryKeyConstraint('quota_warnings_key', ['account_id', 'month', 'unit', 'percent'])
      .execute();
    await db.schema
      .createIndex('quota_warnings_waiting')
      .on('quota_warnings')
      .column('created_at')
      .where(sql<boolean>`sent_at is null`)
      .execute();
  },
};
