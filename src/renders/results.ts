// Earlier results: the one that answers a request, and its bytes for it.
import type { Clock } from '#core/clock.ts';
import type { Phases } from '#core/phases.ts';
import { wholeRange, type Blobs, type OpenBlob } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderRow } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';
import type { Transfers } from '#delivery/transfers.ts';
import type { HostedRenders } from '#renders/hosted-renders.ts';
import { putOutputs, withFailures, type CheckedPut } from '#renders/put-outputs.ts';
import type { RenderHistory } from '#renders/render-history.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import { asHit, toStoredRender, type StoredRender } from '#renders/stored-render.ts';

export interface CachedRequest extends RenderRequest {
  cacheKey: string;
  /** How old a result may be. */
  maxAgeMs: number;
}

/** An earlier result that answers a request. */
export interface CacheHit extends StoredRender {
  /** For a request for bytes. The caller must send or dispose them. */
  bytes: OpenBlob | undefined;
  ageMs: number;
}

export interface ResultsParts {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  hostedRenders: HostedRenders;
  renderHistory: RenderHistory;
  transfers: Transfers;
}

export function createResults(parts: ResultsParts) {
  const { database, blobs, clock, hostedRenders, renderHistory, transfers } = parts;
  const owned = (accountId: string) => database.tables.ownedBy(accountId).renders;

  function look(accountId: string, { cacheKey, maxAgeMs }: CachedRequest): Promise<RenderRow | undefined> {
    const now = clock.now();
    return owned(accountId).cached(cacheKey, now - maxAgeMs, now);
  }

  const ageOf = (row: RenderRow): number => Math.max(0, clock.now() - (row.finished_at ?? row.created_at));

  /** Undefined if the bytes are gone; then the render answers nothing any more. */
  async function open(payer: Caller, row: RenderRow, request: RenderRequest): Promise<CacheHit | undefined> {
    const { accountId, plan } = payer;
    const ageMs = ageOf(row);
    if (request.isHosted) {
      const { expiresInSeconds } = request;
      const life = { isExtended: true, ...(expiresInSeconds !== undefined && { expiresInSeconds }) };
      const hosted = await hostedRenders.host(accountId, plan, row.id, life);
      const render = hosted && (await renderHistory.find(accountId, row.id));
      return render && { ...render, ...asHit, ageMs, bytes: undefined };
    }
    const render = toStoredRender(row);
    const [output] = render.outputs;
    const bytes = output && (await blobs.open(output.id, wholeRange(output.sizeBytes), accountId));
    return bytes && { ...render, ...asHit, ageMs, bytes };
  }

  async function take(payer: Caller, row: RenderRow, request: CachedRequest): Promise<CacheHit | undefined> {
    // A request with more patience may have found it.
    if (ageOf(row) >= request.maxAgeMs) return undefined;
    const hit = await open(payer, row, request);
    if (!hit) await owned(payer.accountId).uncache(row.id);
    return hit;
  }

  /** An earlier result, sent to where this request says. */
  async function deliver(
    accountId: string,
    hit: CacheHit,
    puts: CheckedPut[],
    signal: AbortSignal,
    phases: Phases,
  ): Promise<CacheHit> {
    if (puts.length > 0) phases.begin('put');
    try {
      await Promise.all(puts.map(({ decide }) => transfers.lookUp(accountId, () => decide(signal))));
      const sent = puts.map((put) => {
        const output = hit.outputs[put.place]!;
        return { put, output, open: () => blobs.open(output.id, wholeRange(output.sizeBytes), accountId) };
      });
      const failures = await putOutputs(transfers, accountId, sent);
      return { ...hit, page: hit.page && withFailures(hit.page, failures) };
    } catch (error) {
      hit.bytes?.[Symbol.dispose]();
      throw error;
    } finally {
      phases.end();
    }
  }

  return {
    look,
    ageOf,
    take,
    deliver,

    /** Keeps the bytes of a hit for so long, for an idempotent replay. */
    keep: (payer: Caller, { id }: CacheHit, ms: number): Promise<void> =>
      owned(payer.accountId).keep(id, clock.now() + ms),

    /** A result whose bytes are lost answers nothing any more. */
    forget: ({ account_id, id }: RenderRow): Promise<void> => owned(account_id).uncache(id),
  };
}
