// better-auth's tables for second factors and passkeys. Names and types are those that it requires.
import { PostgresAdapter } from 'kysely';
import type { Migration } from 'kysely/migration';

export const secondFactorsMigration: Migration = {
  async up(db) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
    const date = isPostgres ? 'timestamptz' : 'date';
    const boolean = isPostgres ? 'boolean' : 'integer';

    await db.schema.alterTable('people').addColumn('two_factor_enabled', boolean).execute();

    await db.schema
      .createTable('two_factors')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('person_id', 'text', (column) =>
        column.notNull().references('people.id').onDelete('cascade'),
      )
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('backup_codes', 'text', (column) => column.notNull())
      .addColumn('verified', boolean)
      .addColumn('failed_count', 'integer')
      .addColumn('locked_until', date)
      .execute();
    await db.schema
      .createIndex('two_factors_person_id_idx')
      .on('two_factors')
      .column('person_id')
      .unique()
      .execute();

    await db.schema
      .createTable('passkeys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('person_id', 'text', (column) =>
        column.notNull().references('people.id').onDelete('cascade'),
      )
      .addColumn('name', 'text')
      .addColumn('credential_id', 'text', (column) => column.notNull().unique())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('counter', 'bigint', (column) => column.notNull())
      .addColumn('device_type', 'text', (column) => column.notNull())
      .addColumn('backed_up', boolean, (column) => column.notNull())
      .addColumn('transports', 'text')
      .addColumn('aaguid', 'text')
      .addColumn('created_at', date)
      .execute();
    await db.schema.createIndex('passkeys_person_id_idx').on('passkeys').column('person_id').execute();
  },
};
