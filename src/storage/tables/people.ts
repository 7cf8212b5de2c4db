// Additional queries on better-auth's tables. better-auth does the rest itself.
import type { Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';

export type PeopleTable = ReturnType<typeof createPeopleTable>;

export function createPeopleTable(db: Kysely<Schema>) {
  return {
    async exists(accountId: string): Promise<boolean> {
      const row = await db.selectFrom('people').select('id').where('id', '=', accountId).executeTakeFirst();
      return row !== undefined;
    },
    /** Whether the person with this e-mail address has a stored session from this client address. */
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
    /** Also deletes the person's sessions and password. */
    async delete(accountId: string): Promise<void> {
      await db.deleteFrom('people').where('id', '=', accountId).execute();
    },
    /** Deletes expired sessions and links. */
    async purgeExpired(now: number): Promise<void> {
      const time = new Date(now).toISOString();
      await db.deleteFrom('sessions').where('expires_at', '<', time).execute();
      await db.deleteFrom('verifications').where('expires_at', '<', time).execute();
    },
  };
}
