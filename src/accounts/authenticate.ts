// Identifies the caller by API key. Known keys are answered from memory, yet a revocation, a suspension or a changed plan made by
// any process takes effect with the next request. Spec 5.
import { createBoundedMap } from '#core/bounded-map.ts';
import { ServiceError } from '#core/errors.ts';
import { hashSecret, isWellFormedApiKey } from '#core/ids.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { ApiKeyRow, Unit } from '#storage/schema.ts';
import { revocationSkewMs, type KeyHolder } from '#storage/tables/api-keys.ts';
import type { Plan, Plans } from '#accounts/plans.ts';

export interface Caller {
  accountId: string;
  /** Null for a person signed in to the dashboard. */
  keyId: string | null;
  plan: Plan;
  /** Whether units past the quota are billed: the plan offers it and the owner has turned it on. */
  mayOverrun: boolean;
  /** The most units of each type past the quota; null for no cap. */
  overageCap: number | null;
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
 * The `unauthorized` of every refused key. It reveals nothing about existing keys; only the holder of a key of an account in good
 * standing learns that the key has expired or has another scope.
 */
export class KeyRefusedError extends ServiceError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message = 'send a valid API key as "Bearer <API_KEY>".') {
    super('unauthorized', `Authorization: ${message}`);
    this.refusal = refusal;
  }
}

export interface Authentication {
  /**
   * Throws KeyRefusedError, also for a key whose scope does not allow this. `holderOf` finds the holder of a key by its hash, for
   * callers that combine this with other queries.
   */
  authenticate(authorization: string | undefined, use: KeyUse, holderOf?: HolderLookUp): Promise<Caller>;
  /** Clears the memory, after a change by this process. */
  forget(): void;
  /** Writes when each key was last used; called periodically, off the request path. */
  flushLastUsed(): Promise<void>;
}

type HolderLookUp = (keyHash: string) => Promise<KeyHolder | undefined>;
/** A rotated key and one with an expiry date end at a known time, even while they are in memory. */
type RememberedCaller = { caller: Caller; keyId: string; holder: KeyHolder };

const rememberedKeys = 10_000;

export function createAuthentication(parts: {
  database: Database;
  plans: Plans;
  clock: Clock;
}): Authentication {
  const { database, plans, clock } = parts;
  const callers = createBoundedMap<string, RememberedCaller>(rememberedKeys);
  const lastUsed = new Map<string, number>();
  let stamp = database.changeStamp();
  let generation = 0;

  function forget(): void {
    callers.clear();
    generation += 1;
  }

  async function lookUp(key: string, holderOf: HolderLookUp): Promise<RememberedCaller> {
    const generationBefore = generation;
    const holder = await holderOf(hashSecret(key));
    if (!holder) throw refused('unknown key');
    const remembered = { caller: callerFor(holder, holder.id, plans), keyId: holder.id, holder };
    // A change made while the row was being read has cleared the memory: the row read before it must not be stored there.
    if (stamp !== undefined && generation === generationBefore) {
      callers.set(key, remembered);
    }
    return remembered;
  }

  return {
    async authenticate(authorization, use, holderOf = database.tables.apiKeys.holderOf) {
      const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (key === undefined)
        throw refused(authorization === undefined ? 'no Authorization header' : 'not a Bearer token');
      if (!isWellFormedApiKey(key)) throw refused('malformed key');

      const current = database.changeStamp();
      if (current !== stamp) {
        stamp = current;
        forget();
      }
      const { caller, keyId, holder } = callers.get(key) ?? (await lookUp(key, holderOf));
      admit(holder, use, clock.now());
      lastUsed.set(keyId, clock.now());
      return caller;
    },
    forget,
    async flushLastUsed() {
      const used = [...lastUsed.keys()];
      lastUsed.clear();
      if (used.length > 0) await database.tables.apiKeys.touch(used, clock.now());
    },
  };
}

/** What an account may do. */
export function callerFor(
  account: Pick<KeyHolder, 'account_id' | 'plan' | 'overages' | 'overage_cap'>,
  keyId: string | null,
  plans: Plans,
): Caller {
  const plan = plans.orStandard(account.plan);
  return {
    accountId: account.account_id,
    keyId,
    plan,
    mayOverrun: plan.overages && account.overages === 1,
    overageCap: account.overage_cap,
  };
}

function admit(holder: KeyHolder, use: KeyUse, now: number): void {
  if (holder.revoked_at !== null && holder.revoked_at <= now + revocationSkewMs)
    throw refused('revoked key', holder);
  if (holder.suspended === 1) throw refused('suspended account', holder);
  if (holder.verified === 0) throw refused('unverified account', holder);
  if (holder.expires_at !== null && holder.expires_at <= now) {
    const when = new Date(holder.expires_at).toISOString();
    throw refused('expired key', holder, `this API key expired at ${when}.`);
  }
  if (!scopesFor(use).includes(holder.scope)) {
    throw refused(
      `key may not ${use}`,
      holder,
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
