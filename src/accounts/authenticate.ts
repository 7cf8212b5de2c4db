// Who is calling: an API key, answered from memory when warm, yet a revocation, a suspension or a changed plan made by any
// process holds from the next request on. Spec 5.
import { ServiceError } from '#core/errors.ts';
import { hashSecret, isWellFormedApiKey } from '#core/ids.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { KeyHolder } from '#storage/tables/api-keys.ts';
import type { Plan, Plans } from '#accounts/plans.ts';

export interface Caller {
  accountId: string;
  keyId: string;
  plan: Plan;
  /** Whether units past the quota are billed: the plan offers it and the owner has switched it on. */
  mayOverrun: boolean;
}

export interface Authentication {
  /**
   * Throws the one `unauthorized` there is; its cause says why, for the log alone. `holderOf` finds the holder of a key
   * by its hash, where the caller has more to ask of the database at once.
   */
  authenticate(authorization: string | undefined, holderOf?: HolderLookUp): Promise<Caller>;
  /** Drops what is remembered, after a change by this process. */
  forget(): void;
  /** Writes when each key was last used; called now and then, off the request path. */
  flushLastUsed(): Promise<void>;
}

export type HolderLookUp = (keyHash: string) => Promise<KeyHolder | undefined>;

const rememberedKeys = 10_000;

export function createAuthentication(parts: {
  database: Database;
  plans: Plans;
  clock: Clock;
}): Authentication {
  const { database, plans, clock } = parts;
  const callers = new Map<string, Caller>();
  const lastUsed = new Map<string, number>();
  let stamp = database.changeStamp();
  let generation = 0;

  function forget(): void {
    callers.clear();
    generation += 1;
  }

  async function lookUp(key: string, holderOf: HolderLookUp): Promise<Caller> {
    const generationBefore = generation;
    const holder = await holderOf(hashSecret(key));
    const caller = admit(holder, plans);
    // A change that came while the row was read has emptied the memory: what was read before it must not be kept.
    if (stamp !== undefined && generation === generationBefore) {
      if (callers.size >= rememberedKeys) callers.clear();
      callers.set(key, caller);
    }
    return caller;
  }

  return {
    async authenticate(authorization, holderOf = database.tables.apiKeys.holderOf) {
      const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (key === undefined)
        throw refused(authorization === undefined ? 'no Authorization header' : 'not a Bearer token');
      if (!isWellFormedApiKey(key)) throw refused('malformed key');

      const current = database.changeStamp();
      if (current !== stamp) {
        stamp = current;
        forget();
      }
      const caller = callers.get(key) ?? (await lookUp(key, holderOf));
      lastUsed.set(caller.keyId, clock.now());
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

function admit(holder: KeyHolder | undefined, plans: Plans): Caller {
  if (!holder) throw refused('unknown key');
  if (holder.revoked_at !== null) throw refused('revoked key', holder);
  if (holder.suspended === 1) throw refused('suspended account', holder);
  if (holder.verified === 0) throw refused('unverified account', holder);
  const plan = plans.orStandard(holder.plan);
  return {
    accountId: holder.account_id,
    keyId: holder.id,
    plan,
    mayOverrun: plan.overages && holder.overages === 1,
  };
}

/** Every 401 has the same body whatever its reason: a stranger learns nothing about keys that exist. */
function refused(reason: string, holder?: KeyHolder): ServiceError {
  const who = holder ? ` (account ${holder.account_id}, key ${holder.id})` : '';
  return new ServiceError('unauthorized', 'Authorization: send a valid API key as "Bearer <API_KEY>".', {
    cause: reason + who,
  });
}
