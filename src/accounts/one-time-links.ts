// The tokens of links, which are stored hashed with the account and the address that the link was made for. So a link works once,
// only while the account has that address, and all links of an account can be ended together.
import { newSecret } from '#core/ids.ts';
import type { AccountRow } from '#storage/schema.ts';
import type { Auth } from '#accounts/auth.ts';

const hourMs = 60 * 60 * 1000;
/** Proves an address, sets a password, or signs in. */
const lifetimesMs = { address: 24 * hourMs, password: hourMs, 'sign-in': 72 * hourMs };
export type Purpose = keyof typeof lifetimesMs;

interface Link {
  accountId: string;
  email: string;
}

export type OneTimeLinks = Awaited<ReturnType<typeof createOneTimeLinks>>;

export async function createOneTimeLinks(auth: Auth) {
  const { internalAdapter } = await auth.$context;

  return {
    async make(purpose: Purpose, { id }: Pick<AccountRow, 'id'>, email: string): Promise<string> {
      const token = newSecret();
      await internalAdapter.createVerificationValue({
        identifier: `${purpose}:${token}`,
        value: `${id} ${email}`,
        expiresAt: new Date(Date.now() + lifetimesMs[purpose]),
      });
      return token;
    },
    /** The link, if it still works. */
    async find(purpose: Purpose, token: string): Promise<Link | undefined> {
      const row = await internalAdapter.findVerificationValue(`${purpose}:${token}`);
      return row && row.expiresAt >= new Date() ? linkOf(row) : undefined;
    },
    /** Uses the link up; undefined for all but the first that try. */
    async use(purpose: Purpose, token: string): Promise<Link | undefined> {
      const row = await internalAdapter.consumeVerificationValue(`${purpose}:${token}`);
      return row ? linkOf(row) : undefined;
    },
  };
}

function linkOf({ value }: { value: string }): Link {
  const [accountId = '', email = ''] = value.split(' ');
  return { accountId, email };
}
