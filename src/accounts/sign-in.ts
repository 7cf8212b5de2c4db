// Who is signed in at the dashboard: password, one-time link, verification, reset and sessions, over better-auth.
// A suspended account may still sign in, to read why; what it may do then is the routes' affair.
import { createEmailVerificationToken } from 'better-auth/api';
import type { Logger } from 'pino';
import { invalid, ServiceError } from '#core/errors.ts';
import { newApiKey } from '#core/ids.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';
import { AccountError, normalizeEmail, type Accounts } from '#accounts/accounts.ts';
import { createAuth, verifyLinkSeconds } from '#accounts/auth.ts';
import { explained, headersOf, type Client } from '#accounts/auth-calls.ts';
import type { Mailer } from '#accounts/mailer.ts';

export interface Person {
  account: AccountRow;
  name: string;
  hasPassword: boolean;
  sessionId: string;
  sessionExpiresAt: Date;
}

/** What to set in the browser, with what was done. */
export interface WithCookies<T> {
  cookies: string[];
  value: T;
}

export type SignIn = Awaited<ReturnType<typeof createSignIn>>;

export interface SignInParts {
  database: Database;
  accounts: Accounts;
  mailer: Mailer;
  baseUrl: string;
  signups: 'open' | 'closed';
  clock: Clock;
  log: Logger;
  /** Called after every change that API keys must feel at once. */
  onChange: () => void;
}

export async function createSignIn(parts: SignInParts) {
  const { database, accounts, mailer, baseUrl, clock, log, onChange } = parts;
  const { tables } = database;
  const secret = await tables.people.settingOr('session_secret', newApiKey());
  const auth = createAuth({
    database,
    baseUrl,
    secret,
    log,
    onResetToken: ({ email }, token) =>
      mailer.send({
        to: email,
        subject: 'Set your Tintype password',
        text: 'Somebody, hopefully you, asked to set the password of this account. The link works once, for an hour.',
        link: `${baseUrl}/reset-password?token=${token}`,
      }),
    onPasswordReset: proven,
  });
  const { internalAdapter } = await auth.$context;
  const underWay = new Set<Promise<unknown>>();

  /** The mailbox's owner has spoken. Keys made before that belong to nobody knows whom. */
  async function proven(accountId: string): Promise<void> {
    const account = await tables.accounts.byId(accountId);
    if (account?.verified !== 0) return;
    await tables.ownedBy(accountId).keys.revokeAll(clock.now());
    await internalAdapter.updateUser(accountId, { emailVerified: true });
    await tables.accounts.update(accountId, { verified: 1 });
    onChange();
  }

  /** Accounts made by the operator get their person when one is first needed. */
  async function ensurePerson({ id, email, verified }: AccountRow): Promise<void> {
    if (await tables.people.exists(id)) return;
    await internalAdapter.createUser(
      { email, name: email.split('@')[0] ?? email, emailVerified: verified === 1 },
      { method: 'email-password' },
    );
  }

  async function personOf(session: { id: string; userId: string; expiresAt: Date }, name: string) {
    const account = await tables.accounts.byId(session.userId);
    if (!account) return undefined;
    const credential = await internalAdapter.findCredentialAccount(account.id);
    return {
      account,
      name,
      hasPassword: typeof credential?.password === 'string',
      sessionId: session.id,
      sessionExpiresAt: session.expiresAt,
    };
  }

  async function whoIs(client: Client): Promise<WithCookies<Person> | undefined> {
    if (client.cookie === undefined) return undefined;
    const { headers, response } = await auth.api.getSession({
      headers: headersOf(client),
      returnHeaders: true,
    });
    if (!response) return undefined;
    const person = await personOf(response.session, response.user.name);
    return person && { cookies: headers.getSetCookie(), value: person };
  }

  /** The person behind cookies that were set a moment ago. */
  async function signedIn(headers: Headers, client: Client): Promise<WithCookies<Person>> {
    const cookies = headers.getSetCookie();
    const cookie = cookies.map((line) => line.split(';', 1)[0]).join('; ');
    const person = await whoIs({ ...client, cookie });
    if (!person) throw new Error('there is no session behind the new cookie');
    return { cookies, value: person.value };
  }

  async function sendVerification(email: string): Promise<void> {
    const token = await createEmailVerificationToken(secret, email, undefined, verifyLinkSeconds);
    mailer.send({
      to: email,
      subject: 'Confirm your address for Tintype',
      text: 'Follow this link to confirm the address of your account. It works for a day.',
      link: `${baseUrl}/verify-email?token=${token}`,
    });
  }

  async function welcomeLink(account: AccountRow): Promise<string> {
    await ensurePerson(account);
    const { promise, resolve } = Promise.withResolvers<string>();
    await auth.api.signInMagicLink({
      body: { email: account.email, metadata: { deliver: resolve } },
      headers: new Headers(),
    });
    return `${baseUrl}/welcome?token=${await promise}`;
  }

  return {
    whoIs,
    /** Whether the person has a session from this client address. */
    isKnownAt: (email: string, address: string): Promise<boolean> =>
      tables.people.hasSessionFrom(email, address),
    sendVerification,
    delivery: mailer.delivery,
    signups: parts.signups,
    options: auth.options,

    signIn: (email: string, password: string, client: Client) =>
      explained(async () => {
        const { headers } = await auth.api.signInEmail({
          body: { email: email.trim(), password },
          headers: headersOf(client),
          returnHeaders: true,
        });
        return signedIn(headers, client);
      }),

    signUp: (name: string, email: string, password: string, client: Client) =>
      explained(async () => {
        if (parts.signups === 'closed') {
          throw new ServiceError('not_found', 'Sign-up is closed here; the operator can invite you.');
        }
        const account = await accounts.create(email, { verified: false }).catch((error: unknown) => {
          if (error instanceof AccountError) throw invalid('email', error.message);
          throw error;
        });
        try {
          const { headers } = await auth.api.signUpEmail({
            body: { name, email: account.email, password },
            headers: headersOf(client),
            returnHeaders: true,
          });
          await sendVerification(account.email);
          return await signedIn(headers, client);
        } catch (error) {
          if (!(await tables.people.exists(account.id))) {
            await tables.accounts.update(account.id, { deleted_at: clock.now() });
            await tables.accounts.purge(account.id);
          }
          throw error;
        }
      }),

    /** A one-time link that signs its bearer in. */
    async welcomeLink(email: string): Promise<string> {
      return welcomeLink(await accounts.require(email));
    },
    async invite(account: AccountRow): Promise<void> {
      mailer.send({
        to: account.email,
        subject: 'You have an account at Tintype',
        text: 'Follow this link to sign in and set a password. It works once, for three days.',
        link: await welcomeLink(account),
      });
    },
    welcome: (token: string, client: Client) =>
      explained(async () => {
        const { headers, response } = await auth.api.magicLinkVerify({
          query: { token },
          headers: headersOf(client),
          returnHeaders: true,
        });
        await proven(response.user.id);
        return signedIn(headers, client);
      }),

    /** Answers at once and the same whether or not there is such an account. */
    forgotPassword(email: string): void {
      const work = (async () => {
        const account = await tables.accounts.byEmail(normalizeEmail(email));
        if (!account) return;
        await ensurePerson(account);
        await auth.api.requestPasswordReset({ body: { email: account.email } });
      })()
        .catch((error: unknown) => {
          if (!(error instanceof AccountError)) log.error({ err: error }, 'no link to set a password');
        })
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
    resetPassword: (token: string, newPassword: string) =>
      explained(() => auth.api.resetPassword({ body: { token, newPassword } })),

    /** The link works only for whoever is signed in as that account: clicking a stranger's link proves nothing for them. */
    verifyEmail: (token: string, person: Person, client: Client) =>
      explained(async () => {
        if (emailIn(token) !== person.account.email) throw invalid('token', 'is for another account');
        await auth.api.verifyEmail({ query: { token }, headers: headersOf(client) });
        const user = await internalAdapter.findUserById(person.account.id);
        await tables.accounts.update(person.account.id, { verified: 1, ...(user && { email: user.email }) });
        onChange();
      }),
    changeEmail: (email: string, { account }: Person) =>
      explained(async () => {
        const wanted = normalizeEmail(email);
        if (await tables.accounts.byEmail(wanted)) throw invalid('email', 'is taken');
        const token = await createEmailVerificationToken(secret, account.email, wanted, verifyLinkSeconds, {
          requestType: 'change-email-verification',
        });
        mailer.send({
          to: wanted,
          subject: 'Confirm your new address for Tintype',
          text: `Follow this link to move the account ${account.email} to this address. It works for a day.`,
          link: `${baseUrl}/verify-email?token=${token}`,
        });
      }),
    rename: (name: string, client: Client) =>
      auth.api.updateUser({ body: { name }, headers: headersOf(client) }),

    checkPassword: (password: string | undefined, person: Person, client: Client) =>
      explained(async () => {
        if (!person.hasPassword) return;
        if (password === undefined) throw invalid('current_password', 'missing');
        await auth.api.verifyPassword({ body: { password }, headers: headersOf(client) });
      }),
    /** Ends every other session. */
    changePassword: (current: string | undefined, newPassword: string, person: Person, client: Client) =>
      explained(async (): Promise<WithCookies<Person>> => {
        if (person.hasPassword) {
          if (current === undefined) throw invalid('current_password', 'missing');
          const { headers } = await auth.api.changePassword({
            body: { currentPassword: current, newPassword, revokeOtherSessions: true },
            headers: headersOf(client),
            returnHeaders: true,
          });
          return signedIn(headers, client);
        }
        await auth.api.setPassword({ body: { newPassword }, headers: headersOf(client) });
        await auth.api.revokeOtherSessions({ headers: headersOf(client) });
        return { cookies: [], value: { ...person, hasPassword: true } };
      }),

    sessions: (client: Client) => auth.api.listSessions({ headers: headersOf(client) }),
    /** False when the session is not this person's. */
    async endSession(id: string, client: Client): Promise<boolean> {
      const sessions = await auth.api.listSessions({ headers: headersOf(client) });
      const session = sessions.find((candidate) => candidate.id === id);
      if (session)
        await auth.api.revokeSession({ body: { token: session.token }, headers: headersOf(client) });
      return session !== undefined;
    },
    endOtherSessions: (client: Client) => auth.api.revokeOtherSessions({ headers: headersOf(client) }),
    async signOut(client: Client): Promise<string[]> {
      const { headers } = await auth.api.signOut({ headers: headersOf(client), returnHeaders: true });
      return headers.getSetCookie();
    },
    purgeExpired: () => tables.people.purgeExpired(clock.now()),
    async close(): Promise<void> {
      await Promise.all(underWay);
      await mailer.close();
    },
  };
}

/** The address that a link was made for; whether the link is genuine is better-auth's judgement. */
function emailIn(token: string): string | undefined {
  try {
    const [, payload = ''] = token.split('.');
    return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { email?: string }).email;
  } catch {
    return undefined;
  }
}
