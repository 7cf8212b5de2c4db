// Our few queries on better-auth's tables, and the secret that signs its cookies. Everything else there it does itself.
import type { Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';

export type PeopleTable = ReturnType<typeof createPeopleTable>;

export function createPeopleTable(db: Kysely<Schema>) {
  return {
    /** The value that is kept under this name; the given one if there is none yet. */
    async settingOr(name: string, value: string): Promise<string> {
      await db
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await db
        .selectFrom('settings')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return row.value;
    },
    async exists(accountId: string): Promise<boolean> {
      const row = await db.selectFrom('people').select('id').where('id', '=', accountId).executeTakeFirst();
      return row !== undefined;
    },
    /** Whether the person with this e-mail address has signed in from that client address, and the session is still kept. */
    async hasSessionFrom(email: string, address: string): Promise<boolean> {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('people', 'people.id', 'sessions.person_id')
        .select('person_id')
        .where('people.email', '=', email)
        .where('sessions.address', '=', address)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** With it go the person's sessions and password. */
    async delete(accountId: string): Promise<void> {
      await db.deleteFrom('people').where('id', '=', accountId).execute();
    },
    /** Ended sessions and links that have run out. */
    async purgeExpired(now: number): Promise<void> {
      const time = new Date(now).toISOString();
      await db.deleteFrom('sessions').where('expires_at', '<', time).execute();
      await db.deleteFrom('verifications').where('expires_at', '<', time).execute();
    },
  };
}
