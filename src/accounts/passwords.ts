// Passwords of the dashboard: sign-in, sign-up, reset and change.
import { invalid, ServiceError } from '#core/errors.ts';
import { AccountError, normalizeEmail } from '#accounts/accounts.ts';
import { explained, headersOf, withCookies, wrongPassword, type Client } from '#accounts/auth-calls.ts';
import type { MailedLinks } from '#accounts/mailed-links.ts';
import type { PasswordHashing } from '#accounts/password-hashing.ts';
import type { Person, Sessions, WithCookies } from '#accounts/sessions.ts';
import type { SignInParts } from '#accounts/sign-in-parts.ts';

export async function createPasswords(
  parts: SignInParts & { hashing: PasswordHashing; sessions: Sessions; links: MailedLinks },
) {
  const { auth, hashing, database, accounts, sessions, links, log } = parts;
  const { tables } = database;
  const { internalAdapter } = await auth.$context;
  const underWay = new Set<Promise<unknown>>();

  return {
    /** Without a person, the password is right and a code is required next. */
    signIn: (email: string, password: string, client: Client) =>
      explained(async (): Promise<WithCookies<Person | undefined>> => {
        const { headers, response } = await auth.api.signInEmail({
          body: { email: email.trim(), password },
          ...withCookies(client),
        });
        const account = await tables.accounts.byEmail(normalizeEmail(email));
        const credential = account && (await internalAdapter.findCredentialAccount(account.id));
        // The password was changed while this sign-in waited for its turn: it ends like those that came before the change.
        if (!account || credential?.password !== hashing.compared()) {
          if ('token' in response) await internalAdapter.deleteSession(response.token);
          else if (account) await tables.people.endLinks(account.id);
          throw wrongPassword();
        }
        if ('twoFactorRedirect' in response) return { cookies: headers.getSetCookie(), value: undefined };
        return sessions.signedIn(headers, client);
      }),

    signUp: (name: string, email: string, password: string, client: Client) =>
      explained(async () => {
        if ((await parts.installation.read()).signups === 'closed') {
          throw new ServiceError('not_found', 'Sign-up is closed here; the operator can invite you.');
        }
        const account = await accounts.create(email, { verified: false });
        try {
          const person = await sessions.signedInBy(client, (options) =>
            auth.api.signUpEmail({ body: { name, email: account.email, password }, ...options }),
          );
          await links.sendVerification(account);
          return person;
        } catch (error) {
          await accounts.discardUnused(account.id);
          throw error;
        }
      }),

    /** Answers at once, and the same whether or not there is such an account. */
    forgotPassword(email: string): void {
      const work = (async () => {
        const account = await tables.accounts.byEmail(normalizeEmail(email));
        if (!account) return;
        await links.sendPasswordLink(account);
      })()
        .catch((error: unknown) => {
          if (!(error instanceof AccountError)) log.error({ err: error }, 'no link to set a password');
        })
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
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
          const body = { currentPassword: current, newPassword, revokeOtherSessions: true };
          return sessions.signedInBy(client, (options) => auth.api.changePassword({ body, ...options }));
        }
        await auth.api.setPassword({ body: { newPassword }, headers: headersOf(client) });
        await auth.api.revokeOtherSessions({ headers: headersOf(client) });
        return { cookies: [], value: { ...person, hasPassword: true } };
      }),
    /** Waits for links that are being made. */
    settled: async (): Promise<void> => {
      await Promise.all(underWay);
    },
  };
}
