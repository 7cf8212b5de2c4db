// Sessions of the dashboard: who is signed in, and which sessions a person has. A suspended account may still sign in to read the
// reason; the routes decide what else it may do.
import { invalid } from '#core/errors.ts';
import type { AccountWithPlan } from '#storage/tables/accounts.ts';
import { explained, headersOf, withCookies, type Client } from '#accounts/auth-calls.ts';
import type { SignInParts } from '#accounts/sign-in-parts.ts';

export interface Person {
  account: AccountWithPlan;
  name: string;
  hasPassword: boolean;
  /** A code from an app is required after the password. */
  hasCodes: boolean;
  sessionId: string;
  sessionExpiresAt: Date;
}

/** The result, with the cookies to set in the browser. */
export interface WithCookies<T> {
  cookies: string[];
  value: T;
}

export type Sessions = Awaited<ReturnType<typeof createSessions>>;

export async function createSessions({ auth, database, clock }: SignInParts) {
  const { tables } = database;
  const { internalAdapter } = await auth.$context;

  async function whoIs(client: Client): Promise<WithCookies<Person> | undefined> {
    if (client.cookie === undefined) return undefined;
    const { headers, response } = await auth.api.getSession(withCookies(client));
    const account = response && (await tables.people.accountOf(response.session.id));
    if (!account) return undefined;
    const { session, user } = response;
    const credential = await internalAdapter.findCredentialAccount(account.id);
    const value = {
      account,
      name: user.name,
      hasPassword: typeof credential?.password === 'string',
      hasCodes: user.twoFactorEnabled === true,
      sessionId: session.id,
      sessionExpiresAt: session.expiresAt,
    };
    return { cookies: headers.getSetCookie(), value };
  }

  /** The person of cookies that were just set. */
  async function signedIn(headers: Headers, client: Client): Promise<WithCookies<Person>> {
    const cookies = headers.getSetCookie();
    const cookie = cookies.map((line) => line.split(';', 1)[0]).join('; ');
    const person = await whoIs({ ...client, cookie });
    if (!person) throw new Error('there is no session behind the new cookie');
    return { cookies, value: person.value };
  }

  return {
    whoIs,
    signedIn,
    /** The person whom this call of better-auth signs in. */
    signedInBy: (
      client: Client,
      call: (options: ReturnType<typeof withCookies>) => Promise<{ headers: Headers }>,
    ): Promise<WithCookies<Person>> =>
      explained(async () => signedIn((await call(withCookies(client))).headers, client)),
    /** Whether the person has a session from this client address. */
    isKnownAt: (email: string, address: string): Promise<boolean> =>
      tables.people.hasSessionFrom(email, address),
    rename: (name: string, client: Client) =>
      auth.api.updateUser({ body: { name }, headers: headersOf(client) }),
    sessions: (client: Client) => auth.api.listSessions({ headers: headersOf(client) }),
    /**
     * False when the session does not belong to this person. The current session ends by signing out, which also clears the
     * cookie.
     */
    async endSession(id: string, { sessionId }: Person, client: Client): Promise<boolean> {
      if (id === sessionId) throw invalid('id', 'is the session you are using; sign out instead');
      const sessions = await auth.api.listSessions({ headers: headersOf(client) });
      const session = sessions.find((candidate) => candidate.id === id);
      if (session)
        await auth.api.revokeSession({ body: { token: session.token }, headers: headersOf(client) });
      return session !== undefined;
    },
    endOtherSessions: (client: Client) => auth.api.revokeOtherSessions({ headers: headersOf(client) }),
    async signOut(client: Client): Promise<string[]> {
      const { headers } = await auth.api.signOut(withCookies(client));
      return headers.getSetCookie();
    },
    purgeExpired: () => tables.people.purgeExpired(clock.now()),
  };
}
