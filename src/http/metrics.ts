// GET /metrics, for Prometheus.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RenderQueue } from '#renders/render-queue.ts';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics({ renderQueue }: { renderQueue: Pick<RenderQueue, 'load'> }) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'tintype_http_requests_total',
    help: 'Requests answered, by route, method, status and error code.',
    labelNames: ['route', 'method', 'status', 'code'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'tintype_http_request_duration_seconds',
    help: 'Time from the request head to the end of the answer.',
    labelNames: ['route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 75],
    registers: [registry],
  });
  const longestPauseMs = watchPauses();
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

  return {
    registry,
    observe(request: FastifyRequest, reply: FastifyReply): void {
      const route = request.routeOptions.url ?? 'none';
      const code = request.failure?.code ?? '';
      requests.inc({ route, method: request.method, status: reply.statusCode, code });
      durations.observe({ route }, reply.elapsedTime / 1000);
    },
    async send(_request: FastifyRequest, reply: FastifyReply) {
      return reply.type(registry.contentType).send(await registry.metrics());
    },
  };
}

const resolutionMs = 10;
const windowMs = 60_000;

/** The longest pause of this minute and the one before, independent of how often it is read and by whom. */
function watchPauses(): () => number {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  // The histogram records the length of a timer plus its delay.
  const longestMs = (): number => Math.max(0, delays.max / 1e6 - resolutionMs);
  let before = 0;
  setInterval(() => {
    before = longestMs();
    delays.reset();
  }, windowMs).unref();
  return () => Math.max(before, longestMs());
}
