// GET /metrics, for Prometheus.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { every, type Clock } from '#core/clock.ts';
import type { Timings } from '#core/timings.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { StartingBrowser } from '#browser/starting-browser.ts';
import type { RenderQueue } from '#renders/render-queue.ts';
import type { Renders } from '#renders/render.ts';
import { createFastHistogram } from '#server/fast-histogram.ts';
import { kindOf } from '#server/request-kind.ts';

/** Up to the longest render, 90 s. */
const renderSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 90];
/** From a statement of SQLite to the timeouts of Postgres and S3. */
const callSeconds = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Drawing takes 5 ms of the event loop, and anyone who reaches the port may ask. */
const drawEveryMs = 1_000;

export type Metrics = ReturnType<typeof createMetrics>;

export interface MetricsParts {
  version: string;
  clock: Clock;
  renderQueue: Pick<RenderQueue, 'load'>;
  renders: Pick<Renders, 'onEnd'>;
  browser: Pick<StartingBrowser, 'workerCounts' | 'about'>;
  timings: { database: Pick<Timings, 'listen'>; store: Pick<Timings, 'listen'> };
  blobs: { uploads: Pick<Blobs, 'storedBytes'>; renders: Pick<Blobs, 'storedBytes'> };
}

export function createMetrics({
  version,
  clock,
  renderQueue,
  renders,
  browser,
  timings,
  blobs,
}: MetricsParts) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'tintype_build_info',
    help: 'Always 1; the version is a label.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  const requests = new Counter({
    name: 'tintype_http_requests_total',
    help: 'Requests answered, by route, kind, method, status and error code. The kind is empty outside the API.',
    labelNames: ['route', 'kind', 'method', 'status', 'code'],
    registers: [registry],
  });
  const durations = createFastHistogram({
    name: 'tintype_http_request_duration_seconds',
    help: 'Time from the request head to the end of the answer, by route and kind.',
    labelNames: ['route', 'kind'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 75],
  });
  registry.registerMetric(durations.metric);
  const refusedFiles = new Counter({
    name: 'tintype_batch_files_refused_total',
    help: 'Files of batches that were not stored, by error code. Their request may have been answered with 207.',
    labelNames: ['code'],
    registers: [registry],
  });
  countRenders(registry, renders);
  measureCalls(registry, timings);
  showState(registry, { clock, renderQueue, browser, blobs });

  let drawn: { at: number; text: Promise<string> } | undefined;
  function text(): Promise<string> {
    const now = clock.now();
    if (!drawn || Math.abs(now - drawn.at) >= drawEveryMs) drawn = { at: now, text: registry.metrics() };
    return drawn.text;
  }

  return {
    registry,
    contentType: registry.contentType,
    text,
    observe(request: FastifyRequest, reply: FastifyReply): void {
      const route = request.place.path ?? 'none';
      const kind = kindOf(request) ?? '';
      const code = request.failure?.code ?? '';
      requests.inc({ route, kind, method: request.method, status: reply.statusCode, code });
      durations.observe(reply.elapsedTime / 1000, route, kind);
      for (const refused of request.notes?.refused ?? []) refusedFiles.inc({ code: refused });
    },
    async send(_request: FastifyRequest, reply: FastifyReply) {
      return reply.type(registry.contentType).send(await text());
    },
  };
}

function countRenders(registry: Registry, renders: MetricsParts['renders']): void {
  const renderEnds = new Counter({
    name: 'tintype_renders_ended_total',
    help: 'Renders that ended, queued ones too, by result: succeeded, or why not.',
    labelNames: ['result'],
    registers: [registry],
  });
  const renderDurations = new Histogram({
    name: 'tintype_render_duration_seconds',
    help: 'Time that a render took without its wait for a place on this machine.',
    labelNames: ['result'],
    buckets: renderSeconds,
    registers: [registry],
  });
  const renderWaits = new Histogram({
    name: 'tintype_render_queue_seconds',
    help: 'Time that a render waited for a place on this machine.',
    buckets: renderSeconds,
    registers: [registry],
  });
  renders.onEnd(({ result, queueMs, durationMs }) => {
    renderEnds.inc({ result });
    const outcome = result === 'succeeded' ? result : 'failed';
    renderDurations.observe({ result: outcome }, durationMs / 1000);
    renderWaits.observe(queueMs / 1000);
  });
}

/** What calls of the database and of the store take. */
function measureCalls(registry: Registry, timings: MetricsParts['timings']): void {
  const databaseDurations = createFastHistogram({
    name: 'tintype_database_duration_seconds',
    help: 'Time of a statement of the database, by operation: query or commit, and with Postgres connect, the wait for a connection.',
    labelNames: ['operation'],
    buckets: callSeconds,
  });
  registry.registerMetric(databaseDurations.metric);
  timings.database.listen((operation, ms) => databaseDurations.observe(ms / 1000, operation));
  const storeDurations = createFastHistogram({
    name: 'tintype_store_duration_seconds',
    help: 'Time that the store of files took, by operation: write (until it is durable), read (until its first byte; small files on a disk are not counted) or delete.',
    labelNames: ['operation'],
    buckets: callSeconds,
  });
  registry.registerMetric(storeDurations.metric);
  timings.store.listen((operation, ms) => storeDurations.observe(ms / 1000, operation));
}

/** What is read when the metrics are. */
function showState(
  registry: Registry,
  { clock, renderQueue, browser, blobs }: Pick<MetricsParts, 'clock' | 'renderQueue' | 'browser' | 'blobs'>,
): void {
  registry.registerMetric(
    new Counter({
      name: 'tintype_render_workers_total',
      help: 'Render workers, each with a browser, by event: started, replaced (in time), lost (crashed, or ended for what a page did) or idle (ended because nobody needed it).',
      labelNames: ['event'],
      registers: [],
      collect() {
        this.reset();
        for (const [event, count] of Object.entries(browser.workerCounts())) this.inc({ event }, count);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'tintype_browser_release_timestamp_seconds',
      help: 'When the version of the browser that new workers start with was released, in seconds since 1970.',
      labelNames: ['version'],
      registers: [],
      collect() {
        this.reset();
        if (browser.about === null) return;
        const { version, releasedAt } = browser.about;
        this.set({ version }, releasedAt.getTime() / 1000);
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: 'tintype_stored_bytes_total',
      help: 'Bytes that this process has put into the store, by kind: uploads or renders, each with its variants.',
      labelNames: ['kind'],
      registers: [],
      collect() {
        this.reset();
        for (const [kind, store] of Object.entries(blobs)) this.inc({ kind }, store.storedBytes());
      },
    }),
  );
  const longestPauseMs = watchPauses(clock);
  registry.registerMetric(
    new Gauge({
      name: 'tintype_event_loop_longest_pause_seconds',
      help: 'Longest time in the last one to two minutes for which the event loop was held and nobody was answered.',
      registers: [],
      collect() {
        this.set(longestPauseMs() / 1000);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'tintype_renders',
      help: 'Renders of this machine at this moment, by state: running or waiting. Scale on their sum.',
      labelNames: ['state'],
      registers: [],
      collect() {
        const { running, waiting } = renderQueue.load();
        this.set({ state: 'running' }, running);
        this.set({ state: 'waiting' }, waiting);
      },
    }),
  );
}

const resolutionMs = 10;
const windowMs = 60_000;

/** The longest pause of this minute and the one before, independent of how often it is read and by whom. */
function watchPauses(clock: Clock): () => number {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  // The histogram records the length of a timer plus its delay.
  const longestMs = (): number => Math.max(0, delays.max / 1e6 - resolutionMs);
  let before = 0;
  every(clock, windowMs, () => {
    before = longestMs();
    delays.reset();
  });
  return () => Math.max(before, longestMs());
}
