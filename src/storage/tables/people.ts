// Our few queries on better-auth's tables. Everything else there it does itself.
import type { Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';

export type PeopleTable = ReturnType<typeof createPeopleTable>;

export function createPeopleTable(db: Kysely<Schema>) {
  return {
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
