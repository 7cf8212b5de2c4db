// Links that prove an e-mail address: the welcome link of a new account, verification, and a changed address.
import { invalid } from '#core/errors.ts';
import type { AccountRow } from '#storage/schema.ts';
import { normalizeEmail } from '#accounts/accounts.ts';
import { recordAct } from '#accounts/audit.ts';
import { deadLink, explained, type Client } from '#accounts/auth-calls.ts';
import type { Mail } from '#accounts/mailer.ts';
import type { Purpose } from '#accounts/one-time-links.ts';
import { proveAddress } from '#accounts/proof.ts';
import type { Person, Sessions } from '#accounts/sessions.ts';
import type { SignInParts } from '#accounts/sign-in-parts.ts';

export type MailedLinks = Awaited<ReturnType<typeof createMailedLinks>>;

/** Null if the link was mailed; the link itself if no mail is configured, for the owner to pass on. */
export type Unmailed = string | null;

const mails = {
  verification: {
    subject: 'Confirm your address for Tintype',
    text: 'Follow this link to confirm the address of your account. It works once, for a day.',
  },
  password: {
    subject: 'Set your Tintype password',
    text: 'Somebody, hopefully you, asked to set the password of this account. The link works once, for an hour.',
  },
  invitation: {
    subject: 'You have an account at Tintype',
    text: 'Follow this link to sign in and set a password. It works once, for three days.',
  },
};

/** Where a link leads. */
const pages = { address: 'verify-email', password: 'reset-password', 'sign-in': 'welcome' };

export async function createMailedLinks(parts: SignInParts & { sessions: Sessions }) {
  const { auth, oneTimeLinks, database, accounts, sessions, mailer, baseUrl, clock } = parts;
  const { tables } = database;
  const { internalAdapter } = await auth.$context;

  /** Accounts made by the operator get a person when one is first needed. */
  async function ensurePerson({ id, email, verified }: AccountRow): Promise<void> {
    if (await tables.people.exists(id)) return;
    await internalAdapter.createUser(
      { email, name: email.split('@')[0] ?? email, emailVerified: verified === 1 },
      { method: 'email-password' },
    );
  }

  async function linkFor(purpose: Purpose, account: { id: string }, email: string): Promise<string> {
    return `${baseUrl}/${pages[purpose]}?token=${await oneTimeLinks.make(purpose, account, email)}`;
  }

  async function send(
    purpose: Purpose,
    account: { id: string },
    mail: Omit<Mail, 'link'>,
  ): Promise<Unmailed> {
    const link = await linkFor(purpose, account, mail.to);
    mailer.send({ ...mail, link });
    return mailer.delivery === 'sent' ? null : link;
  }

  return {
    sendVerification: (account: Pick<AccountRow, 'id' | 'email'>): Promise<Unmailed> =>
      send('address', account, { to: account.email, ...mails.verification }),
    /** A one-time link that signs its bearer in. */
    async welcomeLink(email: string): Promise<string> {
      const account = await accounts.require(email);
      await ensurePerson(account);
      return linkFor('sign-in', account, account.email);
    },
    /** A link to set a password. It works once, for an hour. */
    async sendPasswordLink(account: AccountRow): Promise<Unmailed> {
      await ensurePerson(account);
      return send('password', account, { to: account.email, ...mails.password });
    },
    async invite(account: AccountRow): Promise<Unmailed> {
      await ensurePerson(account);
      return send('sign-in', account, { to: account.email, ...mails.invitation });
    },
    welcome: (token: string, client: Client) =>
      explained(async () => {
        const link = await oneTimeLinks.use('sign-in', token);
        const account = link && (await tables.accounts.byId(link.accountId));
        if (!account || account.email !== link.email) throw deadLink();
        if (account.verified === 0) {
          const proof = { email: account.email, kept: { password: false }, now: clock.now() };
          await database.transaction((within) => proveAddress(within, account, proof));
        }
        if (await tables.people.hasCodes(account.id)) {
          const act = { action: 'account.sign_in_without_code', target: account, detail: {} };
          await recordAct(tables, account, clock.now(), act);
        }
        const { promise, resolve } = Promise.withResolvers<string>();
        await auth.api.signInMagicLink({
          body: { email: account.email, metadata: { deliver: resolve } },
          headers: new Headers(),
        });
        const query = { token: await promise };
        return sessions.signedInBy(client, (options) => auth.api.magicLinkVerify({ query, ...options }));
      }),

    /** The link works only for a person signed in as that account: following another person's link proves nothing. */
    verifyEmail: async (token: string, { account, sessionId }: Person): Promise<void> => {
      const link = await oneTimeLinks.find('address', token);
      if (!link) throw deadLink();
      if (link.accountId !== account.id) throw invalid('token', 'is for another account');
      if (!(await oneTimeLinks.use('address', token))) throw deadLink();
      await database.transaction(async (within) => {
        const holder = await within.accounts.byEmail(link.email);
        if (holder && holder.id !== account.id) throw invalid('email', 'is taken');
        const current = await within.accounts.byId(account.id);
        if (!current) throw deadLink();
        const kept = { sessionId, password: true };
        await proveAddress(within, current, { email: link.email, kept, now: clock.now() });
      });
    },
    changeEmail: (email: string, { account }: Person) =>
      explained(async () => {
        const wanted = normalizeEmail(email);
        if (await tables.accounts.byEmail(wanted)) throw invalid('email', 'is taken');
        return send('address', account, {
          to: wanted,
          subject: 'Confirm your new address for Tintype',
          text: `Follow this link to move the account ${account.email} to this address. It works once, for a day.`,
        });
      }),
  };
}
