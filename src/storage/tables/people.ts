// Additional queries on better-auth's tables. better-auth does the rest itself.
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';

/** More browsers than one person uses. Without a bound, signing in again and again would fill the table for 30 days. */
const mostSessions = 100;

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
    /** Deletes expired sessions and links, and all but the newest sessions of each person. */
    async purgeExpired(now: number, keptSessions = mostSessions): Promise<void> {
      const time = new Date(now).toISOString();
      await db.deleteFrom('sessions').where('expires_at', '<', time).execute();
      await db.deleteFrom('verifications').where('expires_at', '<', time).execute();
      await sql`delete from sessions where id in (
        select id from (
          select id, row_number() over (partition by person_id order by created_at desc) as place from sessions
        ) as ranked where place > ${keptSessions}
      )`.execute(db);
    },
  };
}
