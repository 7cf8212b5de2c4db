// The concurrent-capture cap. A render in progress holds a lease, which is both its slot and its reserved units. Leases expire, so
// a crash leaks neither. Spec 7, 8.
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { defaultQueuedRenders } from '#accounts/plans.ts';
import {
  ceilingOf,
  keyQuotaSpent,
  leftOfKey,
  limitOf,
  monthOf,
  quotaSpent,
  quotaState,
  type QuotaState,
} from '#metering/quota.ts';

/** Longer than any render may wait and run. */
const spareMs = 15_000;
const leaseMs = limits.renderTotalMs + limits.renderQueueMs + spareMs;
export const retryAfterSeconds = 2;
/** A place in the queue is free again when a render ends. */
const queueRetryAfterSeconds = 5;

export type CaptureSlots = ReturnType<typeof createCaptureSlots>;

export function createCaptureSlots({ database, clock }: { database: Database; clock: Clock }) {
  /** What the account runs, has queued and has left, and what it has used. Locks its counter. */
  async function standingOf(tables: Tables, payer: Caller, now: number) {
    const { accountId } = payer;
    // Locking the counter serializes the parallel renders of one account, across machines.
    const { used } = await tables.usage.lock({ accountId, unit: 'render', month: monthOf(now) });
    const live = await tables.renderLeases.live(accountId, now);
    return { ...live, used, left: ceilingOf(payer, 'render') - used };
  }

  /** What the key may still use of its own quota, and what its renders have reserved of that. The account's counter is locked. */
  async function ownOf(tables: Tables, payer: Caller, now: number): Promise<Reserved> {
    const left = await leftOfKey(tables, payer, 'render', now);
    const { accountId, keyId } = payer;
    if (left === Infinity || keyId === null) return { left, units: 0 };
    return { left, units: await tables.renderLeases.unitsOfKey(accountId, keyId, now) };
  }

  return {
    /** Takes a slot and reserves all units of a render; throws `quota_exceeded` or `concurrency_limited`. */
    acquire(payer: Caller, units: number): Promise<{ leaseId: string }> {
      const acquire = async (tables: Tables) => {
        const now = clock.now();
        const live = await standingOf(tables, payer, now);
        const own = await ownOf(tables, payer, now);
        const { concurrent_renders: cap } = payer.plan;
        // A unit that a running render has reserved may be free again soon, so the cap, which can be retried, is reported first.
        if (Math.min(live.left, own.left) >= units && live.leases >= cap) throw capReached(cap);
        requireUnits(payer, units, live, own);
        const leaseId = newId();
        await tables.renderLeases.insert({
          id: leaseId,
          account_id: payer.accountId,
          key_id: payer.keyId,
          expires_at: now + leaseMs,
          units,
        });
        return { leaseId };
      };
      // A lease lost in a power cut does no harm: its render is gone too.
      return database.transactionOf(payer.accountId, acquire, { durability: 'relaxed' });
    },
    /** Keeps the slot for at least so long. */
    extend: (leaseId: string, ms: number): Promise<void> =>
      database.tables.renderLeases.extend(leaseId, clock.now() + ms + spareMs),
    /**
     * Reserves the units of a render that is to be queued, in the transaction that writes its job; throws `quota_exceeded` or
     * `queue_full`. It takes a slot when it begins.
     */
    async reserve(tables: Tables, payer: Caller, units: number): Promise<QuotaState> {
      const now = clock.now();
      const live = await standingOf(tables, payer, now);
      const { concurrent_renders: cap, queued_renders: places = defaultQueuedRenders } = payer.plan;
      requireUnits(payer, units, live, await ownOf(tables, payer, now));
      // It would never begin.
      if (cap === 0) throw capReached(cap);
      if (live.queued >= places) throw queueFull(places);
      return quotaState(live, limitOf(payer, 'render'));
    },
    /** Serializes the transaction with the others that count the account's renders. */
    async lock({ usage }: Tables, { accountId }: Pick<Caller, 'accountId'>): Promise<void> {
      await usage.lock({ accountId, unit: 'render', month: monthOf(clock.now()) });
    },
    /** Whether a queued render of the account may begin, in the transaction that begins it. */
    async hasFreeSlot(tables: Tables, payer: Caller): Promise<boolean> {
      const { leases } = await standingOf(tables, payer, clock.now());
      return leases < payer.plan.concurrent_renders;
    },
    release: (leaseId: string): Promise<void> => database.tables.renderLeases.delete(leaseId),
    /** Deletes expired leases. */
    sweep: (): Promise<void> => database.tables.renderLeases.purgeExpired(clock.now()),
    /** Called at the start of a single machine: frees the slots and units of renders from before it. */
    forgetBefore: (startedAt: number): Promise<void> =>
      database.tables.renderLeases.purgeExpired(startedAt + leaseMs - 1),
  };
}

/** What is left of a quota, and how much of it is reserved. */
interface Reserved {
  left: number;
  units: number;
}

function requireUnits(payer: Caller, wanted: number, account: Reserved, key: Reserved): void {
  const left = account.left - account.units;
  if (left < wanted) throw quotaSpent(payer, 'render', { wanted, left });
  const ownLeft = key.left - key.units;
  if (ownLeft < wanted) throw keyQuotaSpent(payer, 'render', { wanted, left: ownLeft });
}

function queueFull(places: number): ServiceError {
  return new ServiceError(
    'queue_full',
    `All ${places} places in the queue of the plan are taken. Retry when a render has begun.`,
    { retryAfterSeconds: queueRetryAfterSeconds },
  );
}

function capReached(cap: number): ServiceError {
  return new ServiceError(
    'concurrency_limited',
    cap === 1
      ? 'The one concurrent render of the plan is in use. Retry when it has finished.'
      : `All ${cap} concurrent renders of the plan are in use. Retry when one has finished.`,
    { retryAfterSeconds },
  );
}
