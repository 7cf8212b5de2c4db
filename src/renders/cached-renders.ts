// Results that answer later requests for the same: of the account alone, for as long as the request allows, and gone with their
// render. A hit takes no unit and no capture slot. V2 2.
import { createPhases, type Phases } from '#core/phases.ts';
import type { RenderRow } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';
import type { Flights } from '#renders/flights.ts';
import type { AlsoRecord, FinishedRender } from '#renders/record-render.ts';
import type { Renders } from '#renders/render.ts';
import type { RenderEvents } from '#renders/render-events.ts';
import { createResults, type CachedRequest, type CacheHit, type ResultsParts } from '#renders/results.ts';

/** After a link's result is too old it can still be served while no newer one can be made. */
const staleMs = 7 * 24 * 60 * 60 * 1000;

/** What a link shows. */
export interface LinkResult {
  row: RenderRow;
  cache: 'hit' | 'miss' | 'stale';
}

export type CachedRenders = ReturnType<typeof createCachedRenders>;

export interface CachedRendersParts extends ResultsParts {
  renders: Renders;
  flights: Flights;
  events: RenderEvents;
}

export function createCachedRenders(parts: CachedRendersParts) {
  const { database, clock, renders, flights, events } = parts;
  const results = createResults(parts);

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
      look: () => results.look(accountId, request),
      async take(row) {
        const hit = await results.take(payer, row, request);
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
    return 'made' in made ? made : { hit: await results.deliver(accountId, made.hit, puts, signal, phases) };
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
      const row = await results.look(payer.accountId, request);
      const found = row && (await results.take(payer, row, request));
      if (!found) return undefined;
      const { accountId } = payer;
      const { reference } = request;
      const hit = { ...(await results.deliver(accountId, found, puts, signal, createPhases())), reference };
      if (webhookUrl !== null) {
        await database.transaction((tables) =>
          events.recordForUrl(tables, accountId, { url: webhookUrl, render: hit, now: clock.now() }),
        );
        events.wakeForUrl();
      }
      return hit;
    },
    /** Makes a render, unless there is a result that is young enough or another request is making one. */
    findOrRender,

    keep: results.keep,
    forget: results.forget,
    ...createLinkResults(parts, results),
  };
}

/** What links show. */
function createLinkResults(
  { database, clock, renders, flights }: CachedRendersParts,
  results: ReturnType<typeof createResults>,
) {
  const ofAccount = (accountId: string) => database.tables.ownedBy(accountId).renders;
  const closing = new AbortController();
  /** Renders of links, which go on when nobody waits for them any more. */
  const detached = new Set<Promise<unknown>>();

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
      look: () => results.look(payer.accountId, request),
      async take(row) {
        if (results.ageOf(row) >= request.maxAgeMs) return undefined;
        // Another request may have made it, whose bytes are kept for less.
        const keepUntil = clock.now() - results.ageOf(row) + keepMs;
        if (row.hosted === 0 && (row.expires_at ?? 0) < keepUntil)
          await ofAccount(payer.accountId).keep(row.id, keepUntil);
        return { row, cache: 'hit' };
      },
      async make(land, until) {
        const making = renders.renderNow(payer, { ...request, keepMs }, until, land, phases);
        detached.add(making);
        try {
          const { id, bytes } = await making;
          bytes?.[Symbol.dispose]();
          const row = await ofAccount(payer.accountId).byId(id, clock.now());
          if (!row) throw new Error(`the render ${id} was deleted as soon as it was made`);
          return { row, cache: 'miss' };
        } finally {
          detached.delete(making);
        }
      },
    });
  }

  return {
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
        const row = await ofAccount(payer.accountId).cached(request.cacheKey, 0, clock.now());
        if (row) return { row, cache: 'stale' };
        throw error;
      }
    },

    /** Ends the renders that nobody waits for. */
    async close(): Promise<void> {
      closing.abort(new Error('the service stops'));
      await Promise.allSettled(detached);
    },
  };
}
