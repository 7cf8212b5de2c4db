// Wires the uploads room: stores, serves and deletes images.
import { hours, seconds, type Chore } from '#core/chore.ts';
import type { Clock } from '#core/clock.ts';
import type { OnCrashPoint } from '#core/crash-points.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import { createHostedUploads } from '#uploads/hosted-uploads.ts';
import { createUploadStore } from '#uploads/store-uploads.ts';
import { createSvgSanitizer } from '#uploads/svg-sanitizer.ts';
import { createThumbnails } from '#uploads/thumbnail.ts';

export type UploadsRoom = ReturnType<typeof createUploadsRoom>;

export function createUploadsRoom(parts: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  reached: OnCrashPoint;
}) {
  const sanitizer = createSvgSanitizer();
  const hostedUploads = createHostedUploads(parts);
  const chores: Chore[] = [
    { name: 'sweep of uploads', everyMs: seconds(15), run: hostedUploads.sweep },
    { name: 'sweep of orphaned uploads', everyMs: hours(1), run: hostedUploads.sweepOrphans },
  ];
  return {
    uploadStore: createUploadStore({ ...parts, sanitizer }),
    hostedUploads,
    thumbnails: createThumbnails(parts),
    uploadBlobs: parts.blobs,
    chores,
    close: sanitizer.close,
  };
}
