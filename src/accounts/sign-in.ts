// Signing in to the dashboard with better-auth: combines sessions, links, passwords and second factors.
import { createAuth } from '#accounts/auth.ts';
import { createInstallation, type Signups } from '#accounts/installation.ts';
import { installationSecret } from '#accounts/installation-secret.ts';
import { createMailedLinks } from '#accounts/mailed-links.ts';
import { createMailer } from '#accounts/mailer.ts';
import { createOidc, type OidcSettings } from '#accounts/oidc.ts';
import { createOneTimeLinks } from '#accounts/one-time-links.ts';
import { createPasswordHashing, type PasswordScheme } from '#accounts/password-hashing.ts';
import { createPasswordReset } from '#accounts/password-reset.ts';
import { createPasswords } from '#accounts/passwords.ts';
import { createSecondFactors } from '#accounts/second-factors.ts';
import { createSessions } from '#accounts/sessions.ts';
import type { SignInParts } from '#accounts/sign-in-parts.ts';

export type SignIn = Awaited<ReturnType<typeof createSignIn>>;

export interface SignInSettings {
  baseUrl: string;
  /** From the environment. */
  signups: Signups | undefined;
  smtpUrl: string | undefined;
  mailFrom: string;
  /** Undefined without a sign-in provider. */
  oidc: OidcSettings | undefined;
}

export async function createSignIn(
  settings: SignInSettings,
  given: Pick<SignInParts, 'database' | 'accounts' | 'clock' | 'log'>,
  passwordScheme?: PasswordScheme,
) {
  const { database, clock, log } = given;
  const { baseUrl, signups, smtpUrl, mailFrom, oidc } = settings;
  const installation = createInstallation({ ...given, signups });
  const mailer = await createMailer({ smtpUrl, from: mailFrom, log });
  const secret = await installationSecret(database);
  const hashing = createPasswordHashing({ clock }, passwordScheme);
  const auth = createAuth({ database, baseUrl, secret, log, hashing });
  const oneTimeLinks = await createOneTimeLinks(auth);
  const parts: SignInParts = { ...given, auth, oneTimeLinks, installation, mailer, baseUrl };
  const sessions = await createSessions(parts);
  const links = await createMailedLinks({ ...parts, sessions });
  const { settled, ...passwords } = await createPasswords({ ...parts, hashing, sessions, links });

  return {
    ...sessions,
    ...links,
    ...passwords,
    ...(await createPasswordReset(parts)),
    installation,
    mailer,
    ...createSecondFactors({ auth, sessions }),
    provider: oidc && createOidc({ ...parts, settings: oidc, secret, links }),
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
