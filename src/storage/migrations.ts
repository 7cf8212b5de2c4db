// The migrations of the database schema. They run at start, in order, each once, and are never edited after a release.
import { PostgresAdapter, sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { initialSchema } from '#storage/initial-schema.ts';
import { laterMigrations } from '#storage/later-migrations.ts';
import type { Schema } from '#storage/schema.ts';

const initial = '0001_initial_schema';

const migrations: Record<string, Migration> = {
  [initial]: {
    async up(db) {
      const engine = db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
      await run(db, initialSchema(engine));
    },
  },
  ...Object.fromEntries(
    laterMigrations.map(([name, statements]) => [
      name,
      { up: (db) => run(db, statements) } satisfies Migration,
    ]),
  ),
};

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Migrates the database to this version. Throws if a newer version has written it. */
export async function migrate(db: Kysely<Schema>): Promise<void> {
  let unknown = await findUnknown(db);
  if (unknown === firstJoined) {
    await adoptJoined(db);
    unknown = await findUnknown(db);
  }
  if (unknown === undefined) return;
  throw new Error(
    unknown === firstJoined || unknown === firstOfEleven
      ? 'the database was written by an early version of Tintype, from before its first release; start the last commit that has ' +
          'the folder test/storage/eleven-migrations once, then this version (docs/self-hosting/upgrade.md says how)'
      : `the database was written by a newer version of Tintype: it has the migration ${unknown}, which this version ` +
          'does not know; start that version, or restore a backup',
  );
}

/** Runs the migrations; resolves to the name of a recorded one that this version does not have. */
async function findUnknown(db: Kysely<Schema>): Promise<string | undefined> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return undefined;
  const message = error instanceof Error ? error.message : '';
  const [, named = ''] = message.split('corrupted migrations: previously executed migration ');
  const [unknown] = /^[\w-]+/.exec(named) ?? [];
  if (unknown === undefined) throw new Error('migrating the database failed', { cause: error });
  return unknown;
}

/** The first of the eleven migrations that became the initial schema. */
const firstOfEleven = '0001_accounts_uploads_usage';
/** The first of the thirteen migrations that became 0002_version_2. */
const firstJoined = '0002_several_outputs';

/**
 * Before the first release, thirteen migrations did what 0002_version_2 does. If they have all run, their names are replaced, and
 * the two that came after them get their new numbers. Of several processes that start at once, one does it.
 */
async function adoptJoined(db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (inside) => {
    await sql`
      delete from kysely_migration where name between ${firstJoined} and '0013_key_addresses'
      and exists (select * from kysely_migration where name = '0014_key_quotas')`.execute(inside);
    await sql`
      update kysely_migration set name = case name
        when '0014_key_quotas' then '0002_version_2'
        when '0015_counted_views' then '0003_counted_views'
        else '0004_kinds_of_requests' end
      where name in ('0014_key_quotas', '0015_counted_views', '0016_kinds_of_requests')`.execute(inside);
  });
}
