// Signing in to the dashboard with better-auth: combines sessions, links, passwords and second factors.
import type { Logger } from 'pino';
import { newSecret } from '#core/ids.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { Accounts } from '#accounts/accounts.ts';
import { createAuth } from '#accounts/auth.ts';
import { createInstallation, type Signups } from '#accounts/installation.ts';
import { createLinks } from '#accounts/links.ts';
import { createMailer } from '#accounts/mailer.ts';
import { createOneTimeLinks } from '#accounts/one-time-links.ts';
import { createPasswordHashing } from '#accounts/password-hashing.ts';
import { createPasswordReset } from '#accounts/password-reset.ts';
import { createPasswords } from '#accounts/passwords.ts';
import { createSecondFactors } from '#accounts/second-factors.ts';
import { createSessions } from '#accounts/sessions.ts';

export type SignIn = Awaited<ReturnType<typeof createSignIn>>;

export interface SignInSettings {
  baseUrl: string;
  /** From the environment. */
  signups: Signups | undefined;
  smtpUrl: string | undefined;
  mailFrom: string;
}

export async function createSignIn(
  settings: SignInSettings,
  given: { database: Database; accounts: Accounts; clock: Clock; log: Logger },
) {
  const { database, log } = given;
  const { baseUrl, signups, smtpUrl, mailFrom } = settings;
  const installation = createInstallation({ ...given, signups });
  const mailer = await createMailer({ smtpUrl, from: mailFrom, log });
  const parts = { ...given, baseUrl, installation, mailer };
  const secret = await database.tables.settings.getOr('session_secret', newSecret());
  const hashing = createPasswordHashing();
  const auth = createAuth({ database, baseUrl, secret, log, hashing });
  const oneTimeLinks = await createOneTimeLinks(auth);
  const sessions = await createSessions({ ...parts, auth });
  const links = await createLinks({ ...parts, auth, oneTimeLinks, sessions });
  const { settled, ...passwords } = await createPasswords({ ...parts, auth, hashing, sessions, links });

  return {
    ...sessions,
    ...links,
    ...passwords,
    ...(await createPasswordReset({ ...parts, auth, oneTimeLinks })),
    installation,
    mailer,
    ...createSecondFactors({ auth, sessions }),
    inLineOf: hashing.inLineOf,
    delivery: mailer.delivery,
    sendTestMail: mailer.sendTest,
    options: auth.options,
    async close(): Promise<void> {
      await settled();
      await mailer.close();
    },
  };
}
