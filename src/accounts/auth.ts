// better-auth on the service's own database: passwords, sessions and second factors. Its routes are not served; sessions.ts,
// mailed-links.ts, passwords.ts and second-factors.ts call it. A person has the id of their account.
import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { APIError } from 'better-auth/api';
import { magicLink } from 'better-auth/plugins/magic-link';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { Logger } from 'pino';
import { newRecoveryCode } from '#core/ids.ts';
import type { Database } from '#storage/database.ts';
import type { PasswordHashing } from '#accounts/password-hashing.ts';

export type Auth = ReturnType<typeof createAuth>;

export interface AuthParts {
  database: Database;
  baseUrl: string;
  secret: string;
  log: Logger;
  hashing: Pick<PasswordHashing, 'hash' | 'verify'>;
}

const day = 24 * 60 * 60;

/** The header that passes the client's address to better-auth. */
export const addressHeader = 'x-client-address';
/** The service's own links are exchanged for one of better-auth's, which is used at once: it starts the session. */
const exchangeSeconds = 60;
/** How long the code may take after the password. */
const secondFactorSeconds = 10 * 60;

const times = { createdAt: 'created_at', updatedAt: 'updated_at' };

/** What holds for every instance of better-auth here: its tables, cookies and log. */
export const commonOptions = ({ database, baseUrl, secret, log }: Omit<AuthParts, 'hashing'>) => ({
  appName: 'Tintype',
  baseURL: baseUrl,
  secret,
  database: { db: database.connection, type: database.engine },
  user: { modelName: 'people', fields: { emailVerified: 'email_verified', ...times } },
  session: {
    modelName: 'sessions',
    fields: {
      userId: 'person_id',
      expiresAt: 'expires_at',
      ipAddress: 'address',
      userAgent: 'user_agent',
      ...times,
    },
    expiresIn: 30 * day,
    updateAge: day,
    // No session counts as fresh: routes that need the password ask for it.
    freshAge: 0,
  },
  account: {
    modelName: 'credentials',
    fields: {
      userId: 'person_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      ...times,
    },
  },
  verification: {
    modelName: 'verifications',
    fields: { expiresAt: 'expires_at', ...times },
    storeIdentifier: 'hashed' as const,
  },
  advanced: {
    cookiePrefix: 'tintype',
    useSecureCookies: baseUrl.startsWith('https:'),
    // The cookie is never sent with requests for hosted files.
    defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' as const, path: '/api/dashboard' },
    ipAddress: { ipAddressHeaders: [addressHeader] },
  },
  telemetry: { enabled: false },
  logger: {
    level: 'warn' as const,
    log: (_level: unknown, message: string) => log.debug(`better-auth: ${message}`),
  },
});

export function createAuth({ database, baseUrl, secret, log, hashing }: AuthParts) {
  return betterAuth({
    ...commonOptions({ database, baseUrl, secret, log }),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      maxPasswordLength: 128,
      password: { hash: hashing.hash, verify: hashing.verify },
    },
    databaseHooks: {
      user: {
        create: {
          /** The only place that links a person to an account: an account with that address must exist. */
          async before(person) {
            const account = await database.tables.accounts.byEmail(person.email);
            return account ? { data: { ...person, id: account.id } } : false;
          },
        },
      },
    },
    plugins: [
      magicLink({
        expiresIn: exchangeSeconds,
        disableSignUp: true,
        storeToken: 'hashed',
        sendMagicLink: async ({ token, metadata }) =>
          (metadata as { deliver: (token: string) => void }).deliver(token),
      }),
      twoFactor({
        issuer: new URL(baseUrl).host,
        twoFactorCookieMaxAge: secondFactorSeconds,
        backupCodeOptions: { customBackupCodesGenerate: () => Array.from({ length: 10 }, newRecoveryCode) },
        schema: {
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
          twoFactor: {
            modelName: 'two_factors',
            fields: {
              userId: 'person_id',
              backupCodes: 'backup_codes',
              failedVerificationCount: 'failed_count',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
      passkey({
        rpName: 'Tintype',
        origin: baseUrl,
        // A passkey replaces both password and code: it must verify the user, and be discoverable without a user name.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        authentication: {
          async afterVerification({ verification }) {
            if (!verification.authenticationInfo.userVerified) throw new APIError('UNAUTHORIZED');
          },
        },
        schema: {
          passkey: {
            modelName: 'passkeys',
            fields: {
              userId: 'person_id',
              credentialID: 'credential_id',
              publicKey: 'public_key',
              deviceType: 'device_type',
              backedUp: 'backed_up',
              createdAt: 'created_at',
            },
          },
        },
      }),
    ],
  });
}
