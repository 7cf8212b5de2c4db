// Identifies the caller by API key. The key is read with each request, so a revocation, a suspension or a changed plan made by any
// process takes effect with the next one. Spec 5.
import { clientName } from '#core/address.ts';
import { ServiceError } from '#core/errors.ts';
import { hashSecret, isWellFormedApiKey } from '#core/ids.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { ApiKeyRow, Unit } from '#storage/schema.ts';
import { addressesPerKey, revocationSkewMs, type KeyHolder } from '#storage/tables/api-keys.ts';
import type { Holder } from '#storage/tables/holder.ts';
import type { Plan, Plans } from '#accounts/plans.ts';

export interface Caller {
  accountId: string;
  /** Null for a person signed in to the dashboard. */
  keyId: string | null;
  plan: Plan;
  /** Units of each type that the key may use in a month. A type that is not there has no limit but the plan's. */
  keyQuota?: Partial<Record<Unit, number>>;
  /** Whether units past the quota are billed: the plan offers it and the owner has turned it on. */
  mayOverrun: boolean;
  /** The most units of each type past the quota; null for no cap. */
  overageCap: number | null;
  /** What the account's webhooks are told of, separated by commas. */
  webhookEvents: string;
  /** Private hosts that its renders may reach, separated by commas. */
  allowedHosts: string;
}

/** What a request does: it makes or reads units of one type, or is open to every key. */
export type KeyUse = Unit | 'any';

/** The scopes of the keys that may do this. */
export const scopesFor = (use: KeyUse): ApiKeyRow['scope'][] =>
  use === 'any' ? ['all', 'uploads', 'renders'] : ['all', `${use}s`];

/** Why a key was refused: shown in the log and to the account's owner, never to the client. */
export interface Refusal {
  reason: string;
  accountId?: string;
  keyId?: string;
}

/**
 * The `unauthorized` of every refused key. It reveals nothing about existing keys; only the holder of a key of an account that
 * works learns that the key has expired or has another scope.
 */
export class KeyRefusedError extends ServiceError {
  readonly refusal: Refusal;

  constructor(
    refusal: Refusal,
    message = 'send a valid API key as "Bearer <API_KEY>".',
    code: 'unauthorized' | 'forbidden' = 'unauthorized',
  ) {
    super(code, `Authorization: ${message}`);
    this.refusal = refusal;
  }
}

/** A valid key with another scope. Version 1 has no code of its own for it. */
export class ScopeRefusedError extends KeyRefusedError {
  /** As version 2 says it. */
  get asForbidden(): KeyRefusedError {
    return new KeyRefusedError(this.refusal, this.message.replace(/^Authorization: /, ''), 'forbidden');
  }
}

/** Each has up to five addresses of three values, and engines limit the values of a statement. */
const keysPerStatement = 500;

export type Authentication = ReturnType<typeof createAuthentication>;

export function createAuthentication(parts: { database: Database; plans: Plans; clock: Clock }) {
  const { database, plans, clock } = parts;
  /** The newest addresses of each key since the last flush, the newest last, each with its time. */
  const uses = new Map<string, Map<string, number>>();

  function noteUse(keyId: string, address: string): void {
    const client = clientName(address);
    const ofKey = uses.get(keyId) ?? new Map<string, number>();
    uses.set(keyId, ofKey);
    ofKey.delete(client);
    ofKey.set(client, clock.now());
    const [oldest] = ofKey.keys();
    if (ofKey.size > addressesPerKey && oldest !== undefined) ofKey.delete(oldest);
  }

  /** Throws KeyRefusedError for an unknown key, and for one that may not do this. */
  function accept(holder: KeyHolder | undefined, use: KeyUse, address: string): Caller {
    if (!holder) throw refused('unknown key');
    refuseUnusable(holder, use, clock.now());
    noteUse(holder.id, address);
    return { ...callerFor(holder, holder.id, plans), keyQuota: quotaOf(holder) };
  }

  return {
    accept,
    authenticate: async (authorization: string | undefined, use: KeyUse, address: string): Promise<Caller> =>
      accept(await database.tables.apiKeys.holderOf(keyHashIn(authorization)), use, address),
    /** Writes when and from where each key was last used; called periodically, off the request path. */
    async flushLastUsed(): Promise<void> {
      const used = [...uses];
      uses.clear();
      const { apiKeys } = database.tables;
      for (let start = 0; start < used.length; start += keysPerStatement) {
        const some = used.slice(start, start + keysPerStatement);
        await apiKeys.touch(
          some.map(([id]) => id),
          clock.now(),
        );
        await apiKeys.noteAddresses(
          some.flatMap(([key_id, addresses]) =>
            [...addresses].map(([address, last_used_at]) => ({ key_id, address, last_used_at })),
          ),
        );
      }
    },
  };
}

/** Throws KeyRefusedError if there is no key in the header. */
export function keyHashIn(authorization: string | undefined): string {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (key === undefined)
    throw refused(authorization === undefined ? 'no Authorization header' : 'not a Bearer token');
  if (!isWellFormedApiKey(key)) throw refused('malformed key');
  return hashSecret(key);
}

/** What an account may do. */
export function callerFor(
  account: Holder & { account_id: string },
  keyId: string | null,
  plans: Plans,
): Caller {
  const plan = plans.of(account);
  return {
    accountId: account.account_id,
    keyId,
    plan,
    mayOverrun: plan.overages && account.overages === 1,
    overageCap: account.overage_cap,
    webhookEvents: account.webhook_events,
    allowedHosts: account.allowed_hosts,
  };
}

function quotaOf({ uploads_per_month, renders_per_month }: KeyHolder): Partial<Record<Unit, number>> {
  return {
    ...(uploads_per_month !== null && { upload: uploads_per_month }),
    ...(renders_per_month !== null && { render: renders_per_month }),
  };
}

function refuseUnusable(holder: KeyHolder, use: KeyUse, now: number): void {
  if (holder.revoked_at !== null && holder.revoked_at <= now + revocationSkewMs)
    throw refused('revoked key', holder);
  if (holder.suspended === 1) throw refused('suspended account', holder);
  if (holder.verified === 0) throw refused('unverified account', holder);
  if (holder.expires_at !== null && holder.expires_at <= now) {
    const when = new Date(holder.expires_at).toISOString();
    throw refused('expired key', holder, `this API key expired at ${when}.`);
  }
  if (!scopesFor(use).includes(holder.scope)) {
    throw new ScopeRefusedError(
      { reason: `key may not ${use}`, accountId: holder.account_id, keyId: holder.id },
      `this API key may not ${use}; it is for ${holder.scope} only.`,
    );
  }
}

function refused(reason: string, holder?: KeyHolder, message?: string): KeyRefusedError {
  return new KeyRefusedError(
    { reason, ...(holder && { accountId: holder.account_id, keyId: holder.id }) },
    message,
  );
}
