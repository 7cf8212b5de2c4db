// Queries on webhooks as the service sends them: events are recorded, machines claim queues, attempts are noted. An endpoint's row is
// the lock of its queue: adding a delivery and counting what is left both write to it first.
import { sql, type Kysely } from 'kysely';
import { insertRows } from '#storage/insert-rows.ts';
import type {
  Schema,
  WebhookAttemptRow,
  WebhookDeliveryRow,
  WebhookEndpointRow,
  WebhookEvent,
} from '#storage/schema.ts';
import { skipLocked } from '#storage/tables/skip-locked.ts';

export type ClaimedQueue = Pick<WebhookEndpointRow, 'id' | 'account_id' | 'url'>;
export type DueNotice = Pick<WebhookEndpointRow, 'id' | 'account_id' | 'url' | 'off_reason'> & {
  email: string;
};

/** Keeps an earlier time; a null compares to nothing, so it gives way. */
const dueBy = (now: number) =>
  sql<number>`case when next_at < ${now} then next_at else cast(${now} as bigint) end`;

export function createWebhooksTable(db: Kysely<Schema>) {
  /** Writes down in the account what its endpoints are told of. */
  async function noteEvents(accountId: string): Promise<void> {
    await sql`
      update accounts set webhook_events = coalesce((
        select string_agg(events, ',') from webhook_endpoints where account_id = ${accountId} and off_at is null and url is not null
      ), '') where id = ${accountId}`.execute(db);
  }

  return {
    noteEvents,
    async insert(rows: WebhookDeliveryRow[]): Promise<void> {
      await insertRows(db, 'webhook_deliveries', rows);
    },
    due: (queueId: string, now: number, limit: number): Promise<WebhookDeliveryRow[]> =>
      db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('endpoint_id', '=', queueId)
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .orderBy('created_at')
        .limit(limit)
        .execute(),
    /** Notes an attempt and what follows from it. False if the delivery is gone, or another process has noted this attempt. */
    async noteAttempt(
      attempt: WebhookAttemptRow,
      after: Pick<WebhookDeliveryRow, 'state' | 'next_at'>,
    ): Promise<boolean> {
      const result = await db
        .updateTable('webhook_deliveries')
        .set({ ...after, attempts: attempt.number })
        .where('id', '=', attempt.delivery_id)
        .where('attempts', '=', attempt.number - 1)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) return false;
      await db.insertInto('webhook_attempts').values(attempt).execute();
      return true;
    },
    /** Whether the endpoint has taken anything since. */
    async hasTaken(endpointId: string, since: number): Promise<boolean> {
      const row = await db
        .selectFrom('webhook_deliveries')
        .innerJoin('webhook_attempts', 'delivery_id', 'webhook_deliveries.id')
        .select('delivery_id')
        .where('endpoint_id', '=', endpointId)
        .where('state', '=', 'delivered')
        .where('at', '>=', since)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Switches an endpoint off; what waits for it ends. False if it was off already, or has no URL of its own. */
    async switchOff(
      endpointId: string,
      reason: NonNullable<WebhookEndpointRow['off_reason']>,
      now: number,
    ): Promise<boolean> {
      const row = await db
        .updateTable('webhook_endpoints')
        .set({
          off_at: now,
          off_reason: reason,
          notice: reason === 'owner' ? 0 : 1,
          waiting: 0,
          next_at: null,
        })
        .where('id', '=', endpointId)
        .where('off_at', 'is', null)
        .where('url', 'is not', null)
        .returning('account_id')
        .executeTakeFirst();
      if (!row) return false;
      await db
        .updateTable('webhook_deliveries')
        .set({ state: 'failed', next_at: null })
        .where('endpoint_id', '=', endpointId)
        .where('next_at', 'is not', null)
        .execute();
      await noteEvents(row.account_id);
      return true;
    },
    /** Deletes up to `limit` older deliveries that have ended; true if there may be more. */
    async purgeOlder(than: number, limit: number): Promise<boolean> {
      const { numAffectedRows } = await sql`
        delete from webhook_deliveries where id in (
          select id from webhook_deliveries where created_at < ${than} and next_at is null limit ${limit})`.execute(
        db,
      );
      return numAffectedRows === BigInt(limit);
    },
    ...createQueues(db),
    ...createNotices(db),
  };
}

/** An endpoint is a queue: what wakes it, which machine has it, and until when. */
function createQueues(db: Kysely<Schema>) {
  return {
    /**
     * The endpoints of the account that are told of this event; each is due now and counts `count` deliveries more. One with
     * `maxWaiting` deliveries gets no more: it is about to be switched off.
     */
    async wake(
      accountId: string,
      event: WebhookEvent,
      { count, maxWaiting, now }: { count: number; maxWaiting: number; now: number },
    ): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`
        update webhook_endpoints set waiting = waiting + ${count}, next_at = ${dueBy(now)}
        where account_id = ${accountId} and off_at is null and url is not null and waiting < ${maxWaiting}
          and ',' || events || ',' like ${`%,${event},%`}
        returning id`.execute(db);
      return rows.map(({ id }) => id);
    },
    /** The same for the queue of URLs that came with renders, which exists from the first of them on. */
    async wakeOwnQueue(accountId: string, now: number): Promise<void> {
      await sql`
        insert into webhook_endpoints (id, account_id, events, created_at, waiting, next_at)
        values (${accountId}, ${accountId}, '', ${now}, 1, ${now})
        on conflict (id) do update set waiting = webhook_endpoints.waiting + 1,
          next_at = case when webhook_endpoints.next_at < ${now} then webhook_endpoints.next_at else excluded.next_at end`.execute(
        db,
      );
    },
    /** How many deliveries wait in the queue of URLs that came with renders. */
    async waitingForUrls(accountId: string): Promise<number> {
      const row = await db
        .selectFrom('webhook_endpoints')
        .select('waiting')
        .where('id', '=', accountId)
        .executeTakeFirst();
      return row?.waiting ?? 0;
    },
    /**
     * Leases the queue that has been due for longest to this process. An account has at most `perAccount` queues in work, and a
     * suspended one none.
     */
    async claim(
      now: number,
      { leaseMs, perAccount }: { leaseMs: number; perAccount: number },
    ): Promise<ClaimedQueue | undefined> {
      const { rows } = await sql<ClaimedQueue>`
        update webhook_endpoints set leased_until = ${now + leaseMs} where id = (
          select queue.id from webhook_endpoints as queue
          where queue.next_at <= ${now} and queue.leased_until <= ${now} and queue.off_at is null
            and exists (select 1 from accounts where accounts.id = queue.account_id and suspended = 0)
            and (
              select count(*) from webhook_endpoints as other
              where other.account_id = queue.account_id and other.leased_until > ${now}
            ) < ${perAccount}
          order by queue.next_at limit 1 ${skipLocked(db, 'queue')}
        ) returning id, account_id, url`.execute(db);
      return rows[0];
    },
    /**
     * Ends the lease and sets when the queue is due next: if something is left that is due, behind the others that are due now. Keeps
     * the newest `keep` deliveries that have ended.
     */
    async release(
      queueId: string,
      { keep, now }: { keep: number; now: number },
    ): Promise<{ waiting: number } | undefined> {
      // Locks the row. What is counted next therefore includes every delivery whose transaction has written to it.
      await db.updateTable('webhook_endpoints').set({ leased_until: 0 }).where('id', '=', queueId).execute();
      const { rows } = await sql<{ waiting: number }>`
        update webhook_endpoints set (waiting, next_at) = (
          select count(*), case when min(next_at) < ${now} then cast(${now} as bigint) else min(next_at) end
          from webhook_deliveries where endpoint_id = ${queueId} and next_at is not null
        ) where id = ${queueId} returning waiting`.execute(db);
      await sql`
        delete from webhook_deliveries where endpoint_id = ${queueId} and next_at is null and (created_at, id) <= (
          select created_at, id from webhook_deliveries where endpoint_id = ${queueId} and next_at is null
          order by created_at desc, id desc limit 1 offset ${keep})`.execute(db);
      return rows[0];
    },
    /** At the start of a single machine: the process that held the leases is gone. */
    async endLeases(): Promise<void> {
      await db
        .updateTable('webhook_endpoints')
        .set({ leased_until: 0 })
        .where('leased_until', '>', 0)
        .execute();
    },
  };
}

/** Endpoints that were switched off and whose owners do not know yet. */
function createNotices(db: Kysely<Schema>) {
  return {
    /** Endpoints that were switched off and whose owners do not know yet. */
    dueNotices: (limit: number): Promise<DueNotice[]> =>
      db
        .selectFrom('webhook_endpoints')
        .innerJoin('accounts', 'accounts.id', 'webhook_endpoints.account_id')
        .select(['webhook_endpoints.id', 'account_id', 'url', 'off_reason', 'email'])
        .where('notice', '=', 1)
        .orderBy('off_at')
        .limit(limit)
        .execute(),
    /** True for the one process that may mail it. */
    async claimNotice(endpointId: string): Promise<boolean> {
      const result = await db
        .updateTable('webhook_endpoints')
        .set({ notice: 0 })
        .where('id', '=', endpointId)
        .where('notice', '=', 1)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    async releaseNotice(endpointId: string): Promise<void> {
      await db
        .updateTable('webhook_endpoints')
        .set({ notice: 1 })
        .where('id', '=', endpointId)
        .where('off_at', 'is not', null)
        .execute();
    },
  };
}
