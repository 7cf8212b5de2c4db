// Wires the renders room: makes, serves and deletes screenshots and PDFs.
import { hours, seconds, type Chore } from '#core/chore.ts';
import type { Clock } from '#core/clock.ts';
import { limits } from '#core/limits.ts';
import type { OnCrashPoint } from '#core/crash-points.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { Browser } from '#browser/browser.ts';
import type { EgressRules, EgressSettings } from '#browser/egress/rules.ts';
import type { CaptureSlots } from '#metering/capture-slots.ts';
import { createThumbnails } from '#uploads/thumbnail.ts';
import { createHostedRenders } from '#renders/hosted-renders.ts';
import { createRenderQueue } from '#renders/render-queue.ts';
import { createRenders } from '#renders/render.ts';

export type RendersRoom = ReturnType<typeof createRendersRoom>;

export function createRendersRoom(parts: {
  database: Database;
  blobs: Blobs;
  browser: Browser;
  egress: EgressSettings;
  egressRules: EgressRules;
  slots: CaptureSlots;
  concurrency: number;
  clock: Clock;
  reached: OnCrashPoint;
}) {
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
