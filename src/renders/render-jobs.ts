// Queued renders: accepts one, cancels one, and frees what they leave. run-jobs.ts runs them. A request that was accepted is durable:
// its blob first, then in one transaction its pending render, its job, its reserved units and the stored response.
import { hash } from 'node:crypto';
import type { Clock } from '#core/clock.ts';
import type { OnCrashPoint } from '#core/crash-points.ts';
import type { Wall } from '#wall/wall.ts';
import type { Blobs } from '#storage/blobs.ts';
import { UnknownOutcomeError, type Database, type Tables } from '#storage/database.ts';
import { purgeOwned, sweepOrphans } from '#storage/free-blobs.ts';
import type { SentDocument, Source, SourceFile } from '#browser/job.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { requirePlaceForUrl } from '#delivery/events.ts';
import type { CaptureSlots } from '#metering/capture-slots.ts';
import type { QuotaState } from '#metering/quota.ts';
import type { JobRequests } from '#renders/job-requests.ts';
import { unitsOf } from '#renders/output-files.ts';
import type { Renders } from '#renders/render.ts';
import { pendingRow, type BegunRender } from '#renders/render-row.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import { toStoredRender, type StoredRender } from '#renders/stored-render.ts';

export interface AskedJob {
  request: RenderRequest;
  /** As the client sent it, but for a large document. */
  given: unknown;
  webhookUrl: string | undefined;
}

export interface AcceptedRender extends StoredRender {
  /** Undefined if another request has queued the same: it takes no units again. */
  quota?: QuotaState;
}

export type RenderJobs = ReturnType<typeof createRenderJobs>;

interface RenderJobsParts {
  database: Database;
  clock: Clock;
  wall: Wall;
  slots: CaptureSlots;
  renders: Renders;
  jobBlobs: Blobs;
  requests: JobRequests;
  reached: OnCrashPoint;
  /** Called after a job was added. */
  wake: () => void;
  /** Called after a job was canceled. */
  stop: (id: string) => void;
}

export function createRenderJobs(parts: RenderJobsParts) {
  const { database, clock, wall, slots, renders, requests, reached, wake } = parts;

  /** A name that does not resolve now may do so when the render ends. Throws `queue_full` if too many messages wait already. */
  async function checkWebhook(
    accountId: string,
    text: string | undefined,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (text === undefined) return null;
    const { url, decide } = wall.check('webhookUrl', text, 'webhook_url');
    await requirePlaceForUrl(database.tables, accountId);
    await decide(signal);
    return url.href;
  }

  async function pendingEqual(
    tables: Tables,
    accountId: string,
    pendingKey: string,
  ): Promise<AcceptedRender | undefined> {
    const found = await tables.renderJobs.equal(accountId, pendingKey);
    if (!found) return undefined;
    const { leased_until, ...row } = found;
    return toStoredRender(row, new Set(leased_until <= clock.now() ? [row.id] : []));
  }

  return {
    checkWebhook,
    /**
     * Requests with `max_age` that are equal are one render, which all of them get. `alsoRecord` runs in the transaction that queues it.
     * Throws `quota_exceeded` or `queue_full`.
     */
    async accept(
      payer: Caller,
      { request, given, webhookUrl }: AskedJob,
      signal: AbortSignal,
      alsoRecord: (tables: Tables, accepted: AcceptedRender) => Promise<void>,
    ): Promise<AcceptedRender> {
      const begun = renders.begin(payer, request);
      const { id, createdAt } = begun;
      const { accountId, keyId } = payer;
      const { job } = request;
      const webhook_url = await checkWebhook(accountId, webhookUrl, signal);
      await renders.checkReferences(accountId, request);
      await Promise.all(begun.puts.map(({ decide }) => decide(signal)));
      const pendingKey = pendingKeyOf(begun, webhook_url);
      const request_bytes = await requests.storeRequest(id, accountId, {
        given,
        cacheKey: request.cacheKey,
        allowedHosts: payer.allowedHosts,
        ...filesOf(job.source),
      });
      reached('job files durable');
      try {
        const accepted = await database.transactionOf(accountId, async (tables) => {
          await tables.renderJobs.lockQueue(accountId);
          const equal = pendingKey === null ? undefined : await pendingEqual(tables, accountId, pendingKey);
          if (equal) {
            await alsoRecord(tables, equal);
            return equal;
          }
          const units = unitsOf(job.outputs);
          const quota = await slots.reserve(tables, payer, units);
          const row = { ...pendingRow(begun), cache_key: pendingKey };
          await tables.renders.insert(row);
          await tables.renderJobs.insert({
            id,
            account_id: accountId,
            key_id: keyId,
            created_at: createdAt,
            units,
            webhook_url,
            request_bytes,
          });
          const stored = { ...toStoredRender(row, new Set([id])), quota };
          await alsoRecord(tables, stored);
          reached('job written');
          return stored;
        });
        reached('job committed');
        if (accepted.id === id) wake();
        else await requests.deleteRequest(id);
        return accepted;
      } catch (error) {
        // If the outcome of the commit is unknown, the blob may have a row; the orphan sweep checks that later.
        if (!(error instanceof UnknownOutcomeError)) await requests.deleteRequest(id);
        throw error;
      }
    },

    ...createEnds(parts),
  };
}

/** Jobs that end without their render: canceled, deleted with their account, or left by a machine that is gone. */
function createEnds({ database, clock, renders, jobBlobs, requests, stop }: RenderJobsParts) {
  const { renderJobs } = database.tables;
  return {
    /** Ends those of the account's renders that wait or run, and returns their ids. The others are left as they are. */
    async cancel(accountId: string, ids: string[]): Promise<string[]> {
      const pending = ids.length === 0 ? [] : [...(await renderJobs.existing(ids))];
      const canceled: string[] = [];
      for (const id of pending) {
        const isCanceled = await database.transaction((tables) =>
          tables.renderJobs.cancel(accountId, id, { failure: 'It was canceled.', now: clock.now() }),
        );
        if (isCanceled) canceled.push(id);
      }
      for (const id of canceled) {
        stop(id);
        await requests.deleteRequest(id);
      }
      if (canceled.length > 0) await renders.recorder.trim(accountId);
      return canceled;
    },

    /** Permanently deletes every job of an account. Those that run notice it soon. */
    purgeAccount: (accountId: string): Promise<void> =>
      purgeOwned(jobBlobs, (limit) => renderJobs.idsOf(accountId, limit), renderJobs.purge),
    sweepQueues: (): Promise<void> => database.transaction((tables) => tables.renderJobs.sweepQueues()),
    sweepOrphans: (): Promise<number> => sweepOrphans(jobBlobs, renderJobs.existing, clock.now()),
    /** At the start of a single machine: the process that ran a job before is gone. */
    forgetLeases: (): Promise<void> => renderJobs.endLeases(),
  };
}

function filesOf(source: Source): { document: SentDocument | undefined; files: SourceFile[] } {
  if (source.kind === 'url') return { document: undefined, files: [] };
  const { kind, text, files } = source;
  return { document: typeof text === 'string' ? undefined : { kind, text }, files };
}

/**
 * Equal for requests that share one queued render until it has ended: they ask for the same and deliver it in the same way. Null if its
 * outputs are sent elsewhere, because these belong to one request alone, and for a request without `max_age`.
 */
function pendingKeyOf({ request, puts }: BegunRender, webhookUrl: string | null): string | null {
  const { cacheKey, reference, expiresInSeconds = null } = request;
  if (cacheKey === undefined || puts.length > 0) return null;
  const delivery = JSON.stringify([cacheKey, reference, webhookUrl, expiresInSeconds]);
  return hash('sha256', delivery, 'base64url');
}
