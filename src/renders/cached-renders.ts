// Results that answer later requests for the same: of the account alone, for as long as the request allows, and gone with their
// render. A hit takes no unit and no capture slot. V2 2.
import type { Clock } from '#core/clock.ts';
import { createPhases, type Phases } from '#core/phases.ts';
import { wholeRange, type Blobs, type OpenBlob } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderRow } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';
import type { Transfers } from '#delivery/transfers.ts';
import { putOutputs, withFailures, type CheckedPut } from '#renders/put-outputs.ts';
import type { Flights } from '#renders/flights.ts';
import type { HostedRenders } from '#renders/hosted-renders.ts';
import type { RenderEvents } from '#renders/render-events.ts';
import type { RenderHistory } from '#renders/render-history.ts';
import type { AlsoRecord, FinishedRender, Renders } from '#renders/render.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import { asHit, toStoredRender, type StoredRender } from '#renders/stored-render.ts';

/** After a link's result is too old it can still be served while no newer one can be made. */
const staleMs = 7 * 24 * 60 * 60 * 1000;

export interface CachedRequest extends RenderRequest {
  cacheKey: string;
  /** How old a result may be. */
  maxAgeMs: number;
}

/** An earlier result that answers a request. */
export interface CacheHit extends StoredRender {
  /** Of a request for bytes. Whoever holds them must send or dispose them. */
  bytes: OpenBlob | undefined;
  ageMs: number;
}

/** What a link shows. */
export interface LinkResult {
  row: RenderRow;
  cache: 'hit' | 'miss' | 'stale';
}

export type CachedRenders = ReturnType<typeof createCachedRenders>;

export function createCachedRenders(parts: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  renders: Renders;
  hostedRenders: HostedRenders;
  renderHistory: RenderHistory;
  flights: Flights;
  transfers: Transfers;
  events: RenderEvents;
}) {
  const { database, blobs, clock, renders, hostedRenders, renderHistory, flights, transfers, events } = parts;
  const closing = new AbortController();
  /** Renders of links, which go on when nobody waits for them any more. */
  const detached = new Set<Promise<unknown>>();
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
    // Somebody with more patience may have found it.
    if (ageOf(row) >= request.maxAgeMs) return undefined;
    const hit = await open(payer, row, request);
    if (!hit) await owned(payer.accountId).uncache(row.id);
    return hit;
  }

  async function findOrRender(
    payer: Caller,
    request: CachedRequest,
    signal: AbortSignal,
    alsoRecord: AlsoRecord,
    phases: Phases,
  ): Promise<{ hit: CacheHit } | { made: FinishedRender }> {
    const { accountId } = payer;
    const puts = renders.putsOf(request);
    const made = await flights.join<{ hit: CacheHit } | { made: FinishedRender }>({
      accountId,
      cacheKey: request.cacheKey,
      signal,
      recallsFailures: false,
      look: () => look(accountId, request),
      async take(row) {
        const hit = await take(payer, row, request);
        return hit && { hit };
      },
      make: async (land, until) => ({
        made: await renders.renderNow(
          payer,
          request,
          until,
          async (tables, finished) => {
            await land(tables);
            await alsoRecord(tables, finished);
          },
          phases,
        ),
      }),
    });
    return 'made' in made ? made : { hit: await deliver(accountId, made.hit, puts, signal, phases) };
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

  /** The render of a link, which is kept for a while longer than it is fresh. */
  async function renderForLink(
    payer: Caller,
    request: CachedRequest,
    signal: AbortSignal,
    phases: Phases,
  ): Promise<LinkResult> {
    const keepMs = request.maxAgeMs + staleMs;
    return flights.join<LinkResult>({
      accountId: payer.accountId,
      cacheKey: request.cacheKey,
      signal,
      detached: closing.signal,
      recallsFailures: true,
      look: () => look(payer.accountId, request),
      async take(row) {
        if (ageOf(row) >= request.maxAgeMs) return undefined;
        // Another request may have made it, whose bytes are kept for less.
        const keepUntil = clock.now() - ageOf(row) + keepMs;
        if (row.hosted === 0 && (row.expires_at ?? 0) < keepUntil)
          await owned(payer.accountId).keep(row.id, keepUntil);
        return { row, cache: 'hit' };
      },
      async make(land, until) {
        const making = renders.renderNow(payer, { ...request, keepMs }, until, land, phases);
        detached.add(making);
        try {
          const { id, bytes } = await making;
          bytes?.[Symbol.dispose]();
          const row = await owned(payer.accountId).byId(id, clock.now());
          if (!row) throw new Error(`the render ${id} was deleted as soon as it was made`);
          return { row, cache: 'miss' };
        } finally {
          detached.delete(making);
        }
      },
    });
  }

  return {
    /** A result that is young enough, for a request that would be queued; its webhook is told of it. */
    async answerQueued(
      payer: Caller,
      request: CachedRequest,
      webhookUrl: string | null,
      signal: AbortSignal,
    ): Promise<CacheHit | undefined> {
      const puts = renders.putsOf(request);
      const row = await look(payer.accountId, request);
      const found = row && (await take(payer, row, request));
      if (!found) return undefined;
      const { accountId } = payer;
      const { reference } = request;
      const hit = { ...(await deliver(accountId, found, puts, signal, createPhases())), reference };
      if (webhookUrl !== null) {
        await database.transaction((tables) =>
          events.recordForUrl(tables, accountId, { url: webhookUrl, render: hit, now: clock.now() }),
        );
        events.wakeForUrl();
      }
      return hit;
    },
    /** Makes a render, unless there is a result that is young enough or somebody else is making one. */
    findOrRender,

    /**
     * What a link shows: a result that is young enough, a new one, or while that fails the last one that there is. Throws what the
     * render failed with, also if that was less than a minute ago.
     */
    async forLink(
      payer: Caller,
      request: CachedRequest,
      signal: AbortSignal,
      phases: Phases,
    ): Promise<LinkResult> {
      try {
        return await renderForLink(payer, request, signal, phases);
      } catch (error) {
        if (signal.aborted) throw error;
        const row = await owned(payer.accountId).cached(request.cacheKey, 0, clock.now());
        if (row) return { row, cache: 'stale' };
        throw error;
      }
    },

    /** Keeps the bytes of a hit for so long, for an idempotent replay. */
    keep: (payer: Caller, { id }: CacheHit, ms: number): Promise<void> =>
      owned(payer.accountId).keep(id, clock.now() + ms),

    /** A result whose bytes are lost answers nothing any more. */
    forget: ({ account_id, id }: RenderRow): Promise<void> => owned(account_id).uncache(id),

    /** Ends the renders that nobody waits for. */
    async close(): Promise<void> {
      closing.abort(new Error('the service stops'));
      await Promise.allSettled(detached);
    },
  };
}
