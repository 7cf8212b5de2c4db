// Links that prove an e-mail address: the welcome link of a new account, verification, and a changed address.
import { createEmailVerificationToken } from 'better-auth/api';
import { newApiKey } from '#core/ids.ts';
import { invalid } from '#core/errors.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';
import { normalizeEmail, type Accounts } from '#accounts/accounts.ts';
import { resetLinkSeconds, verifyLinkSeconds, type Auth } from '#accounts/auth.ts';
import { explained, headersOf, type Client } from '#accounts/auth-calls.ts';
import type { Mail, Mailer } from '#accounts/mailer.ts';
import type { Person, Sessions } from '#accounts/sessions.ts';

export type Links = Awaited<ReturnType<typeof createLinks>>;

/** Null if the link was mailed; the link itself if no mail is configured, for the owner to pass on. */
export type Unmailed = string | null;

export async function createLinks(parts: {
  auth: Auth;
  /** Signs the tokens of verification links. */
  secret: string;
  database: Database;
  accounts: Accounts;
  sessions: Sessions;
  mailer: Mailer;
  baseUrl: string;
  clock: Clock;
  onChange: () => void;
}) {
  const { auth, secret, database, accounts, sessions, mailer, baseUrl, clock, onChange } = parts;
  const { tables } = database;
  const { internalAdapter } = await auth.$context;

  /** Marks the e-mail address as verified. Keys created before that are revoked: anyone could have made them. */
  async function markVerified(accountId: string): Promise<void> {
    const account = await tables.accounts.byId(accountId);
    if (account?.verified !== 0) return;
    await tables.ownedBy(accountId).keys.revokeAll(clock.now());
    await internalAdapter.updateUser(accountId, { emailVerified: true });
    await tables.accounts.update(accountId, { verified: 1 });
    onChange();
  }

  /** Accounts made by the operator get a person when one is first needed. */
  async function ensurePerson({ id, email, verified }: AccountRow): Promise<void> {
    if (await tables.people.exists(id)) return;
    await internalAdapter.createUser(
      { email, name: email.split('@')[0] ?? email, emailVerified: verified === 1 },
      { method: 'email-password' },
    );
  }

  function deliver(mail: Mail): Unmailed {
    mailer.send(mail);
    return mailer.delivery === 'sent' ? null : mail.link;
  }

  async function sendVerification(email: string): Promise<Unmailed> {
    const token = await createEmailVerificationToken(secret, email, undefined, verifyLinkSeconds);
    return deliver({
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
    markVerified,
    ensurePerson,
    sendVerification,
    /** A one-time link that signs its bearer in. */
    async welcomeLink(email: string): Promise<string> {
      return welcomeLink(await accounts.require(email));
    },
    /** A link to set a password. It works once, for an hour. */
    async sendPasswordLink(account: AccountRow): Promise<Unmailed> {
      await ensurePerson(account);
      const token = newApiKey();
      await internalAdapter.createVerificationValue({
        identifier: `reset-password:${token}`,
        value: account.id,
        expiresAt: new Date(Date.now() + resetLinkSeconds * 1000),
      });
      return deliver({
        to: account.email,
        subject: 'Set your Tintype password',
        text: 'Somebody, hopefully you, asked to set the password of this account. The link works once, for an hour.',
        link: `${baseUrl}/reset-password?token=${token}`,
      });
    },
    async invite(account: AccountRow): Promise<Unmailed> {
      return deliver({
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
        await markVerified(response.user.id);
        return sessions.signedIn(headers, client);
      }),

    /** The link works only for a person signed in as that account: following another person's link proves nothing. */
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
        return deliver({
          to: wanted,
          subject: 'Confirm your new address for Tintype',
          text: `Follow this link to move the account ${account.email} to this address. It works for a day.`,
          link: `${baseUrl}/verify-email?token=${token}`,
        });
      }),
  };
}

/** The address that a link was made for, unverified: better-auth checks whether the link is genuine. */
function emailIn(token: string): string | undefined {
  try {
    const [, payload = ''] = token.split('.');
    return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { email?: string }).email;
  } catch {
    return undefined;
  }
}
