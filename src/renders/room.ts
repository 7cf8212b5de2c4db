// Wires the renders room: makes, serves and deletes screenshots and PDFs.
import { hours, seconds, type Chore } from '#core/chore.ts';
import { limits } from '#core/limits.ts';
import { createThumbnails } from '#uploads/thumbnail.ts';
import { createHostedRenders } from '#renders/hosted-renders.ts';
import { createRenderQueue } from '#renders/render-queue.ts';
import { createRenders, type RendersParts } from '#renders/render.ts';

export type RendersRoom = ReturnType<typeof createRendersRoom>;

export function createRendersRoom(parts: Omit<RendersParts, 'queue'> & { concurrency: number }) {
  const queue = createRenderQueue({ concurrency: parts.concurrency, maxWaitMs: limits.renderQueueMs });
  const hostedRenders = createHostedRenders(parts);
  const chores: Chore[] = [
    { name: 'sweep of renders', everyMs: seconds(15), run: hostedRenders.sweep },
    { name: 'sweep of orphaned renders', everyMs: hours(1), run: hostedRenders.sweepOrphans },
  ];
  return {
    renders: createRenders({ ...parts, queue }),
    hostedRenders,
    renderThumbnails: createThumbnails({ blobs: parts.blobs, concurrency: 1 }),
    renderQueue: queue,
    renderBlobs: parts.blobs,
    chores,
  };
}
