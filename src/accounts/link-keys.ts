// The keys that sign links. Their holder signs links without asking the service, and the account pays for what they render: so each
// has a name, its secret is shown once, and a revoked one ends all its links. V2 2.
import { createHmac } from 'node:crypto';
import type { Clock } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import { isLinkKeyId, newLinkKeyId, newSecret, sameHash } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { seal, unseal } from '#core/seal.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { LinkKeyRow } from '#storage/schema.ts';
import { AccountError } from '#accounts/accounts.ts';
import { recordAct } from '#accounts/audit.ts';
import { callerFor, type Caller } from '#accounts/authenticate.ts';
import { installationSecret } from '#accounts/installation-secret.ts';
import type { Plans } from '#accounts/plans.ts';

const secretPrefix = 'lksec_';
/** Acts kept in the audit log for one account, which can cause any number of them. */
const keptActs = 50;
/** The name of a key that was made because there was none. */
const firstName = 'API';

export interface NewLinkKey {
  row: LinkKeyRow;
  /** Returned only once. */
  secret: string;
}

export type LinkKeys = ReturnType<typeof createLinkKeys>;

const signLink = (secret: string, payload: string): string =>
  createHmac('sha256', secret).update(`v2.${payload}`).digest('base64url');

export function createLinkKeys(parts: { database: Database; plans: Plans; clock: Clock }) {
  const { database, plans, clock } = parts;

  async function insert(
    tables: Tables,
    accountId: string,
    name: string,
    installation: string,
  ): Promise<NewLinkKey> {
    const owned = tables.ownedBy(accountId);
    if ((await owned.linkKeys.list()).length >= limits.linkKeys)
      throw invalid(
        'name',
        `an account has at most ${limits.linkKeys} link keys; revoke one that is not needed`,
      );
    const secret = secretPrefix + newSecret();
    const row: LinkKeyRow = {
      id: newLinkKeyId(),
      account_id: accountId,
      name,
      sealed: seal(installation, secret),
      created_at: clock.now(),
    };
    await owned.linkKeys.insert(row);
    await record(tables, 'link_key.create', row);
    return { row, secret };
  }

  /** In the audit log: the holder of a link key spends the units of the account. */
  async function record(tables: Tables, action: string, { id, account_id, name }: LinkKeyRow): Promise<void> {
    const account = await tables.accounts.byId(account_id);
    if (!account) return;
    await recordAct(tables, account, clock.now(), { action, target: account, detail: { id, name } });
    await tables.auditLog.trim(account_id, 'link_key.', keptActs);
  }

  async function create(accountId: string, name: string): Promise<NewLinkKey> {
    const installation = await installationSecret(database);
    return database.transactionOf(accountId, async (tables) => {
      await tables.ownedBy(accountId).lock();
      return insert(tables, accountId, name, installation);
    });
  }

  /** Takes effect at once: nothing is left of it. Undefined when there is no such key. */
  const revoke = (accountId: string, id: string): Promise<LinkKeyRow | undefined> =>
    database.transaction(async (tables) => {
      const row = await tables.ownedBy(accountId).linkKeys.remove(id);
      if (row) await record(tables, 'link_key.revoke', row);
      return row;
    });

  return {
    create,
    revoke,
    /** The newest first. */
    list: (accountId: string): Promise<LinkKeyRow[]> => database.tables.ownedBy(accountId).linkKeys.list(),

    /** For the command line, which knows no account here. */
    async revokeAny(id: string): Promise<LinkKeyRow> {
      const known = await database.tables.linkKeys.byId(id);
      const row = known && (await revoke(known.account_id, id));
      if (!row) throw new AccountError(`there is no link key "${id}"`);
      return row;
    },

    /** Signs with the newest key of the account; makes one if there is none. */
    async sign(accountId: string, payload: string): Promise<{ id: string; signature: string }> {
      const installation = await installationSecret(database);
      const { id, sealed } =
        (await database.tables.ownedBy(accountId).linkKeys.newest()) ??
        (await database.transactionOf(accountId, async (tables) => {
          const owned = tables.ownedBy(accountId);
          await owned.lock();
          // Another request may have made one while this one waited for the lock.
          return (
            (await owned.linkKeys.newest()) ?? (await insert(tables, accountId, firstName, installation)).row
          );
        }));
      return { id, signature: signLink(unseal(installation, sealed), payload) };
    },

    /** Whose link it is. Undefined if the key is unknown, the signature wrong, or the account may not render. */
    async verify(id: string, payload: string, signature: string): Promise<Caller | undefined> {
      const holder = isLinkKeyId(id) ? await database.tables.linkKeys.holderOf(id) : undefined;
      // Also for a key that does not exist, so that the time of the answer does not tell.
      const secret = holder ? unseal(await installationSecret(database), holder.sealed) : '';
      const isSigned = sameHash(signLink(secret, payload), signature);
      if (!holder || !isSigned || holder.deleted_at !== null) return undefined;
      if (holder.suspended === 1 || holder.verified === 0) return undefined;
      return callerFor(holder, null, plans);
    },
  };
}
