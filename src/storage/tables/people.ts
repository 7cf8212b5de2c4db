// Additional queries on better-auth's tables. better-auth does the rest itself.
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';
import type { AccountWithPlan } from '#storage/tables/accounts.ts';
import { storedPlan } from '#storage/tables/plans.ts';

/** More browsers than one person uses. Without a bound, signing in again and again would fill the table for 30 days. */
const maxSessions = 100;

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
    /**
     * The account of a session that has not been ended. One statement, so that nobody is seen as both still signed in and already
     * verified when the verification ended the session.
     */
    accountOf: (sessionId: string): Promise<AccountWithPlan | undefined> =>
      db
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.id', 'sessions.person_id')
        .selectAll('accounts')
        .select(storedPlan.as('stored_plan'))
        .where('sessions.id', '=', sessionId)
        .where('accounts.deleted_at', 'is', null)
        .executeTakeFirst(),
    /** The address is proven to be this person's. */
    async setProvenEmail(accountId: string, email: string): Promise<void> {
      await db
        .updateTable('people')
        .set({ email, email_verified: sql<boolean>`true` })
        .where('id', '=', accountId)
        .execute();
    },
    async endSessions(accountId: string, exceptId: string | undefined): Promise<void> {
      let query = db.deleteFrom('sessions').where('person_id', '=', accountId);
      if (exceptId !== undefined) query = query.where('id', '!=', exceptId);
      await query.execute();
    },
    /** Also ends sign-ins that wait for a code. */
    async endLinks(accountId: string): Promise<void> {
      await db
        .deleteFrom('verifications')
        .where(({ eb, or }) => or([eb('value', '=', accountId), eb('value', 'like', `${accountId} %`)]))
        .execute();
    },
    /** Also deletes everything that signs the person in. */
    async delete(accountId: string): Promise<void> {
      await this.endLinks(accountId);
      await db.deleteFrom('people').where('id', '=', accountId).execute();
    },
    /** Deletes expired sessions and links, and all but the newest sessions of each person. */
    async purgeExpired(now: number, keptSessions = maxSessions): Promise<void> {
      const time = new Date(now).toISOString();
      await db.deleteFrom('sessions').where('expires_at', '<', time).execute();
      await db.deleteFrom('verifications').where('expires_at', '<', time).execute();
      await sql`delete from sessions where id in (
        select id from (
          select id, row_number() over (partition by person_id order by created_at desc) as place from sessions
        ) as ranked where place > ${keptSessions}
      )`.execute(db);
    },
    ...createWaysIn(db),
  };
}

/** What signs a person in: a password, a provider, a second factor. */
function createWaysIn(db: Kysely<Schema>) {
  return {
    /** Whether signing in with the password needs a code too. */
    async hasCodes(accountId: string): Promise<boolean> {
      const people = db.selectFrom('people').select('two_factor_enabled').where('id', '=', accountId);
      return Boolean((await people.executeTakeFirst())?.two_factor_enabled);
    },
    /** Passkeys, codes from an app and recovery codes. */
    async endSecondFactors(accountId: string): Promise<void> {
      await db.deleteFrom('passkeys').where('person_id', '=', accountId).execute();
      await db.deleteFrom('two_factors').where('person_id', '=', accountId).execute();
      await db.updateTable('people').set({ two_factor_enabled: null }).where('id', '=', accountId).execute();
    },
    /** The password, and what links the person to a sign-in provider. */
    async endCredentials(accountId: string): Promise<void> {
      await db.deleteFrom('credentials').where('person_id', '=', accountId).execute();
    },
    async hasProviderLink(accountId: string): Promise<boolean> {
      const row = await db
        .selectFrom('credentials')
        .select('person_id')
        .where('person_id', '=', accountId)
        .where('provider_id', '<>', 'credential')
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Only what links the person to a sign-in provider, unless nothing else lets them in. */
    async endProviderLinks(accountId: string): Promise<void> {
      await db
        .deleteFrom('credentials')
        .where('person_id', '=', accountId)
        .where('provider_id', '<>', 'credential')
        .where('person_id', 'in', (query) =>
          query
            .selectFrom('credentials as password')
            .select('password.person_id')
            .where('password.provider_id', '=', 'credential'),
        )
        .execute();
    },
  };
}
