// Wires the renders room: makes, queues, serves and deletes screenshots and PDFs.
import type { Logger } from 'pino';
import { hours, seconds, type Chore } from '#core/chore.ts';
import { limits } from '#core/limits.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { PictureMaker } from '#uploads/pictures/picture-maker.ts';
import { createVariants } from '#uploads/pictures/variants.ts';
import { createCacheKeys } from '#renders/cache-key.ts';
import { createCachedRenders } from '#renders/cached-renders.ts';
import { createFlights } from '#renders/flights.ts';
import type { Plans } from '#accounts/plans.ts';
import { createHostedRenders } from '#renders/hosted-renders.ts';
import { createJobRequests } from '#renders/job-requests.ts';
import { createRenderEvents } from '#renders/render-events.ts';
import { createRenderHistory } from '#renders/render-history.ts';
import { createRenderJobs } from '#renders/render-jobs.ts';
import { createRenderMessages } from '#renders/render-messages.ts';
import { createRenderQueue, reservedPlaces } from '#renders/render-queue.ts';
import { createRenderWaits } from '#renders/render-waits.ts';
import { createRenders, type RendersParts } from '#renders/render.ts';
import { createJobRunner, type JobRunnerParts } from '#renders/run-jobs.ts';
import type { StoredRender } from '#renders/stored-render.ts';

export type RendersRoom = ReturnType<typeof createRendersRoom>;

export function createRendersRoom(
  parts: Omit<RendersParts, 'queue' | 'events'> &
    Pick<JobRunnerParts, 'lowerRequest'> & {
      concurrency: number;
      pictureMaker: PictureMaker;
      /** What came with queued renders. */
      jobBlobs: Blobs;
      plans: Plans;
      log: Logger;
      /** Its receipt, as webhooks show it. */
      describeRender: (render: StoredRender) => object;
      wakeWebhooks: () => void;
    },
) {
  const { clock, concurrency } = parts;
  const queue = createRenderQueue({ clock, concurrency, maxWaitMs: limits.renderQueueMs });
  const events = createRenderEvents({ describe: parts.describeRender, wake: parts.wakeWebhooks });
  const renders = createRenders({ ...parts, queue, events });
  const hostedRenders = createHostedRenders(parts);
  const requests = createJobRequests(parts);
  const waits = createRenderWaits(parts);
  const runner = createJobRunner({
    ...parts,
    renders,
    requests,
    events,
    reservedPlaces: reservedPlaces(concurrency),
    onEnd: waits.noteEnd,
  });
  const jobs = createRenderJobs({
    ...parts,
    renders,
    requests,
    wake: runner.wake,
    stop(id) {
      runner.stop(id);
      waits.noteEnd(id);
    },
  });
  const renderHistory = createRenderHistory({ ...parts, hostedRenders });
  const flights = createFlights(parts);
  const cachedRenders = createCachedRenders({
    ...parts,
    renders,
    hostedRenders,
    renderHistory,
    flights,
    events,
  });
  const chores: Chore[] = [
    { name: 'queued renders', everyMs: seconds(1), run: runner.beginDue, onEveryMachine: true },
    { name: 'leases of queued renders', everyMs: seconds(5), run: runner.extendLeases, onEveryMachine: true },
    { name: 'waits for renders', everyMs: seconds(1), run: waits.look, onEveryMachine: true },
    { name: 'sweep of render queues', everyMs: seconds(60), run: jobs.sweepQueues },
    { name: 'sweep of renders', everyMs: seconds(15), run: hostedRenders.sweep },
    { name: 'sweep of orphaned renders', everyMs: hours(1), run: hostedRenders.sweepOrphans },
    { name: 'sweep of flights', everyMs: hours(1), run: flights.sweep },
    { name: 'sweep of orphaned requests', everyMs: hours(1), run: jobs.sweepOrphans },
  ];
  return {
    renders,
    renderJobs: jobs,
    renderWaits: waits,
    cachedRenders,
    cacheKeyOf: createCacheKeys(parts),
    hostedRenders,
    renderHistory,
    renderMessage: createRenderMessages({ ...parts, renderHistory, describe: parts.describeRender }),
    renderVariants: createVariants(parts),
    renderQueue: queue,
    renderBlobs: parts.blobs,
    forgetFlights: flights.forget,
    chores,
    /** From now on queued renders run here. */
    openQueue: runner.open,
    /** Answers those who wait, and gives back what runs. */
    async closeQueue(): Promise<void> {
      waits.close();
      await runner.close();
    },
    close: cachedRenders.close,
  };
}
