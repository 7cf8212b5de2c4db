// The concurrent-capture cap: a render in progress holds a lease that is both its slot and its reserved unit. Leases run
// out, so a crash leaks neither. Spec 7, 8.
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Database, Tables } from '#storage/database.ts';
import { ceilingOf, limitOf, monthOf, quotaExceeded, type Payer } from '#metering/quota.ts';

/** Longer than any render may wait and run. */
const leaseMs = limits.pdfTotalMs + limits.renderQueueMs + 15_000;
const retryAfterSeconds = 2;

export interface CaptureSlots {
  /** Throws `quota_exceeded` or `concurrency_limited`. */
  acquire(payer: Payer): Promise<{ leaseId: string }>;
  release(leaseId: string): Promise<void>;
  /** Forgets leases that have run out. */
  sweep(): Promise<void>;
  /** After a start on one machine: the renders from before it are gone, and with them their slots and units. */
  forgetBefore(startedAt: number): Promise<void>;
}

export function createCaptureSlots({ database, clock }: { database: Database; clock: Clock }): CaptureSlots {
  return {
    acquire(payer) {
      const acquire = async ({ usage, renderLeases }: Tables) => {
        const now = clock.now();
        // Locking the counter makes parallel renders of one account come one by one, on every machine.
        const { used } = await usage.lock({
          accountId: payer.accountId,
          unit: 'render',
          month: monthOf(now),
        });
        const running = await renderLeases.countLive(payer.accountId, now);
        if (used + running >= ceilingOf(payer, 'render'))
          throw quotaExceeded('render', limitOf(payer, 'render'));
        if (running >= payer.plan.concurrent_renders) throw capReached(payer.plan.concurrent_renders);
        const leaseId = newId();
        await renderLeases.insert({ id: leaseId, account_id: payer.accountId, expires_at: now + leaseMs });
        return { leaseId };
      };
      // A machine that stops has no renders left that could hold a slot.
      return database.transaction(acquire, { durability: 'relaxed' });
    },
    release: (leaseId) => database.tables.renderLeases.delete(leaseId),
    sweep: () => database.tables.renderLeases.purgeExpired(clock.now()),
    forgetBefore: (startedAt) => database.tables.renderLeases.purgeExpired(startedAt + leaseMs - 1),
  };
}

function capReached(cap: number): ServiceError {
  return new ServiceError(
    'concurrency_limited',
    `All ${cap} concurrent renders of the plan are in use. Retry when one has finished.`,
    { retryAfterSeconds },
  );
}

/** The machine itself had no place for the render in time. */
export function machineBusy(): ServiceError {
  return new ServiceError('concurrency_limited', 'The service is busy with other renders. Retry shortly.', {
    retryAfterSeconds,
  });
}
