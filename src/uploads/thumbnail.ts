// Thumbnails of uploads and renders for the dashboard's lists, cached in memory. Accounts are served round-robin.
import sharp from 'sharp';
import { createBoundedMap } from '#core/bounded-map.ts';
import { ServiceError } from '#core/errors.ts';
import { createFairQueue } from '#core/fair-queue.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';

const sidePixels = 360;
/** A taller or wider picture is cropped to this ratio: the whole of it would be only a few pixels wide or high. */
const maxRatio = 3;
/** Decoding takes memory per pixel; a larger picture is shown as it is. */
const maxPixels = 60_000_000;
/** A file this small is shown as it is: a thumbnail would not be smaller. */
const smallBytes = 16 * 1024;
/** A larger file is not read into memory for a thumbnail. Uploads are always smaller. */
const largeBytes = 20 * 1024 * 1024;
const cacheBytes = 32 * 1024 * 1024;
/** The minimum that a cache entry counts, so that the number of empty entries is bounded too. */
const minEntryBytes = 256;
const maxSeconds = 10;
/** Two pages of the grid. */
const maxWaiting = 100;

/** A row of an upload or of a render. */
export interface Pictured {
  id: string;
  account_id: string;
  content_type: string;
  size_bytes: number | null;
  width?: number | null;
  height?: number | null;
}

export type Thumbnails = ReturnType<typeof createThumbnails>;

export function createThumbnails({ blobs, concurrency = 2 }: { blobs: Blobs; concurrency?: number }) {
  const cache = createBoundedMap<string, Buffer>(cacheBytes, ({ length }) => Math.max(length, minEntryBytes));
  const queue = createFairQueue({
    concurrency,
    concurrencyPerAccount: 1,
    maxWaitMs: 20_000,
    maxWaiting,
    tooLong: () => busy('The machine is busy with other thumbnails.'),
    tooMany: () => busy(`More than ${maxWaiting} thumbnails of this account are waiting.`),
  });

  async function make(id: string): Promise<Buffer> {
    const bytes = await readBlob(blobs, id);
    return bytes ? shrink(bytes).catch(() => nothing) : nothing;
  }

  return {
    /** WebP bytes; undefined if the upload itself is to be shown. */
    async of(row: Pictured, signal?: AbortSignal): Promise<Buffer | undefined> {
      const { id, account_id } = row;
      if (!isWorthMaking(row)) return undefined;
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

/** Whether the dashboard can show it, as a thumbnail or as it is. */
export const isPicture = ({ content_type, size_bytes }: Pictured): boolean =>
  content_type.startsWith('image/') && size_bytes !== null && size_bytes <= largeBytes;

function isWorthMaking(row: Pictured): boolean {
  const { content_type, size_bytes, width, height } = row;
  if (content_type === 'image/svg+xml' || !isPicture(row)) return false;
  return (size_bytes ?? 0) > smallBytes || ratioOf(width ?? 1, height ?? 1) > maxRatio;
}

const ratioOf = (width: number, height: number): number => Math.max(width / height, height / width);

/** The whole picture, or the start of a very tall or wide one. Never enlarged; transparency is kept. */
async function shrink(bytes: Buffer): Promise<Buffer> {
  const picture = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'none' }).autoOrient();
  const { autoOrient } = await picture.metadata();
  const { width, height } = autoOrient;
  const shown =
    ratioOf(width, height) > maxRatio
      ? picture.extract({
          left: 0,
          top: 0,
          width: Math.min(width, height * maxRatio),
          height: Math.min(height, width * maxRatio),
        })
      : picture;
  return shown
    .resize(sidePixels, sidePixels, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 78, effort: 2 })
    .timeout({ seconds: maxSeconds })
    .toBuffer();
}

/** Types are detected from the first bytes, so the rest may not be a valid image. */
const nothing = Buffer.alloc(0);

const busy = (message: string): ServiceError =>
  new ServiceError('rate_limited', message, { retryAfterSeconds: 1 });
