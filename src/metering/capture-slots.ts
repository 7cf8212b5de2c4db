// The concurrent-capture cap. A render in progress holds a lease, which is both its slot and its reserved unit. Leases expire, so
// a crash leaks neither. Spec 7, 8.
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { ceilingOf, limitOf, monthOf, QuotaExceededError } from '#metering/quota.ts';

/** Longer than any render may wait and run. */
const leaseMs = limits.pdfTotalMs + limits.renderQueueMs + 15_000;
export const retryAfterSeconds = 2;

export type CaptureSlots = ReturnType<typeof createCaptureSlots>;

export function createCaptureSlots({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** Throws `quota_exceeded` or `concurrency_limited`. */
    acquire(payer: Caller): Promise<{ leaseId: string }> {
      const acquire = async ({ usage, renderLeases }: Tables) => {
        const now = clock.now();
        // Locking the counter serializes the parallel renders of one account, across machines.
        const { used } = await usage.lock({
          accountId: payer.accountId,
          unit: 'render',
          month: monthOf(now),
        });
        const running = await renderLeases.countLive(payer.accountId, now);
        const { concurrent_renders: cap } = payer.plan;
        const ceiling = ceilingOf(payer, 'render');
        // A unit that a running render has reserved may be free again soon, so the cap, which can be retried, is reported first.
        if (used < ceiling && running >= cap) throw capReached(cap);
        if (used + running >= ceiling) throw new QuotaExceededError('render', limitOf(payer, 'render'));
        const leaseId = newId();
        await renderLeases.insert({ id: leaseId, account_id: payer.accountId, expires_at: now + leaseMs });
        return { leaseId };
      };
      // A lease lost in a power cut does no harm: its render is gone too.
      return database.transaction(acquire, { durability: 'relaxed' });
    },
    release: (leaseId: string): Promise<void> => database.tables.renderLeases.delete(leaseId),
    /** Deletes expired leases. */
    sweep: (): Promise<void> => database.tables.renderLeases.purgeExpired(clock.now()),
    /** Called at the start of a single machine: frees the slots and units of renders from before it. */
    forgetBefore: (startedAt: number): Promise<void> =>
      database.tables.renderLeases.purgeExpired(startedAt + leaseMs - 1),
  };
}

function capReached(cap: number): ServiceError {
  return new ServiceError(
    'concurrency_limited',
    `All ${cap} concurrent renders of the plan are in use. Retry when one has finished.`,
    { retryAfterSeconds },
  );
}
