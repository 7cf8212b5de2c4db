// Sets a password by a link. The link proves the address; every session ends, and the person learns what still works.
import type { ApiKeyRow } from '#storage/schema.ts';
import { deadLink } from '#accounts/auth-calls.ts';
import { proveAddress } from '#accounts/proof.ts';
import type { SignInParts } from '#accounts/sign-in-parts.ts';

interface Passkey {
  id: string;
  name?: string | null;
  createdAt: Date;
}

/** What signs in, or acts for the account, although its password was reset. */
interface StillWorking {
  codes: boolean;
  /** Signing in with a provider. */
  provider: boolean;
  passkeys: Passkey[];
  keys: ApiKeyRow[];
}

export async function createPasswordReset(parts: SignInParts) {
  const { auth, oneTimeLinks, database, mailer, baseUrl, clock } = parts;
  const { tables } = database;
  const { adapter, internalAdapter, password } = await auth.$context;

  async function setPassword(id: string, hash: string): Promise<void> {
    if (await internalAdapter.findCredentialAccount(id)) await internalAdapter.updatePassword(id, hash);
    else
      await internalAdapter.createAccount({
        userId: id,
        accountId: id,
        providerId: 'credential',
        password: hash,
      });
  }

  async function stillWorking(id: string): Promise<StillWorking> {
    const person = (await internalAdapter.findUserById(id)) as { twoFactorEnabled?: boolean | null } | null;
    return {
      codes: person?.twoFactorEnabled === true,
      provider: await tables.people.hasProviderLink(id),
      passkeys: await adapter.findMany<Passkey>({
        model: 'passkey',
        where: [{ field: 'userId', value: id }],
      }),
      keys: await tables.ownedBy(id).keys.working(clock.now()),
    };
  }

  return {
    /** Reports whether the link still works before the person chooses a password. */
    isResetLink: async (token: string): Promise<boolean> =>
      (await oneTimeLinks.find('password', token)) !== undefined,

    async resetPassword(token: string, newPassword: string): Promise<StillWorking> {
      if (!(await oneTimeLinks.find('password', token))) throw deadLink();
      // Hashed before the link is used up: the queue may be full, and then the link must work once more.
      const hash = await password.hash(newPassword);
      const link = await oneTimeLinks.use('password', token);
      const account = link && (await tables.accounts.byId(link.accountId));
      if (!account || account.email !== link.email) throw deadLink();
      const { id, email } = account;
      // First the password, then the sessions: otherwise the old password could start one in between.
      await setPassword(id, hash);
      await database.transaction(async (within) => {
        await within.people.endSessions(id, undefined);
        await proveAddress(within, account, { email, kept: { password: true }, now: clock.now() });
      });
      const still = await stillWorking(id);
      // Without mail there is nobody to tell: the page has just told the person who followed the link.
      if (mailer.delivery === 'sent')
        mailer.send({
          to: email,
          subject: 'Your Tintype password was set',
          text: `The password of this account was set by a link, and all sessions have ended.\n\n${described(still)}`,
          link: `${baseUrl}/dashboard/settings`,
        });
      return still;
    },
  };
}

function described({ codes, provider, passkeys, keys }: StillWorking): string {
  const lines = [
    ...(codes ? ['- codes from an authenticator app are asked for after the password'] : []),
    ...(provider ? ['- signing in with the provider that the account is linked to'] : []),
    ...passkeys.map(
      ({ name, createdAt }) => `- the passkey ${JSON.stringify(name ?? 'Passkey')} of ${day(createdAt)}`,
    ),
    ...keys.map(
      ({ name, display, created_at }) =>
        `- the API key ${JSON.stringify(name)} (${display}) of ${day(new Date(created_at))}`,
    ),
  ];
  if (lines.length === 0) return 'No passkey, authenticator app, sign-in provider or API key works for it.';
  return `These still work. If you do not know one of them, remove it in the dashboard:\n\n${lines.join('\n')}`;
}

const day = (time: Date): string => time.toISOString().slice(0, 10);
