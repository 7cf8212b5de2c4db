// A small picture of an upload, for the dashboard's grid. Made once and kept for a while; accounts take turns.
import sharp from 'sharp';
import { createBoundedMap } from '#core/bounded-map.ts';
import { ServiceError } from '#core/errors.ts';
import { createFairQueue } from '#core/fair-queue.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';
import type { UploadRow } from '#storage/schema.ts';

const sidePixels = 360;
/** Decoding takes memory by the pixel; a larger picture is shown as it is. */
const maxPixels = 60_000_000;
/** Smaller than what it would become. */
const smallBytes = 16 * 1024;
const cacheBytes = 32 * 1024 * 1024;
/** What an entry counts for at least, so that many empty ones are bounded as well. */
const leastBytes = 256;
const maxSeconds = 10;
/** Two pages of the grid. */
const maxWaiting = 100;

export type Thumbnails = ReturnType<typeof createThumbnails>;

export function createThumbnails({ blobs }: { blobs: Blobs }) {
  const cache = createBoundedMap<string, Buffer>(cacheBytes, ({ length }) => Math.max(length, leastBytes));
  const queue = createFairQueue({
    concurrency: 2,
    concurrencyPerAccount: 1,
    maxWaitMs: 20_000,
    maxWaiting,
    tooLong: () => busy('The machine is busy with other thumbnails.'),
    tooMany: () => busy(`More than ${maxWaiting} thumbnails of this account are waiting.`),
  });

  async function make(id: string): Promise<Buffer> {
    const bytes = await readBlob(blobs, id);
    if (!bytes) return nothing;
    return sharp(bytes, { limitInputPixels: maxPixels, failOn: 'none' })
      .rotate()
      .resize(sidePixels, sidePixels, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 78, effort: 2 })
      .timeout({ seconds: maxSeconds })
      .toBuffer()
      .catch(() => nothing);
  }

  return {
    /** WebP bytes; undefined when the upload itself is what to show. */
    async of(row: UploadRow, signal?: AbortSignal): Promise<Buffer | undefined> {
      const { id, account_id, content_type, size_bytes } = row;
      if (content_type === 'image/svg+xml' || size_bytes <= smallBytes) return undefined;
      const made =
        cache.get(id) ??
        (await queue.run(
          account_id,
          async () => {
            const thumbnail = cache.get(id) ?? (await make(id));
            cache.set(id, thumbnail);
            return thumbnail;
          },
          { signal },
        ));
      return made === nothing ? undefined : made;
    },
    load: queue.load,
  };
}

/** Types are detected from the first bytes, so the rest need not be a picture. */
const nothing = Buffer.alloc(0);

const busy = (message: string): ServiceError =>
  new ServiceError('rate_limited', message, { retryAfterSeconds: 1 });
