// A small picture of an upload, for the dashboard's grid.
import sharp from 'sharp';
import { createTurns } from '#core/turns.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';
import type { UploadRow } from '#storage/schema.ts';

const sidePixels = 360;
/** Decoding takes memory by the pixel; a larger picture is shown as it is. */
const maxPixels = 60_000_000;
/** Smaller than what it would become. */
const smallBytes = 16 * 1024;
const atOnce = 2;

export type Thumbnails = ReturnType<typeof createThumbnails>;

export function createThumbnails({ blobs }: { blobs: Blobs }) {
  const inTurn = createTurns(atOnce);

  async function shrink(id: string): Promise<Buffer | undefined> {
    const bytes = await readBlob(blobs, id);
    return (
      bytes &&
      sharp(bytes, { limitInputPixels: maxPixels, failOn: 'none' })
        .rotate()
        .resize(sidePixels, sidePixels, { fit: 'inside', withoutEnlargement: true })
        .webp({ quality: 78, effort: 2 })
        .toBuffer()
    );
  }

  return {
    /** WebP bytes; undefined when the upload itself is what to show. */
    async of({ id, content_type, size_bytes }: UploadRow): Promise<Buffer | undefined> {
      if (content_type === 'image/svg+xml' || size_bytes <= smallBytes) return undefined;
      // Types are detected from the first bytes only, so the rest need not be a picture at all.
      return inTurn(() => shrink(id)).catch(() => undefined);
    },
  };
}
