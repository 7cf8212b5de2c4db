// Compares a picture with an earlier one of the same account, pixel by pixel. v2 4 (compare_to).
import sharp from 'sharp';
import { RenderFailure, type PictureChange } from '#browser/browser.ts';
import { outputField, type Task } from '#browser/job.ts';
import type { MadeOutput } from '#browser/page/attempt.ts';

/** Both are in memory, at 4 bytes a pixel. */
const maxPixels = 60_000_000;
const bytesPerPixel = 4;

/** The outputs with what has changed in those that are compared. */
export async function compareOutputs(task: Task, outputs: MadeOutput[]): Promise<MadeOutput[]> {
  const compared = [...outputs];
  for (const { place, path } of task.references ?? []) {
    const made = outputs[place];
    if (made)
      compared[place] = {
        ...made,
        change: await changeOf(made, path, outputField(task, place, 'compare_to')),
      };
  }
  return compared;
}

async function changeOf({ bytes }: MadeOutput, referencePath: string, field: string): Promise<PictureChange> {
  const [now, before] = [await sizeOf(bytes), await sizeOf(referencePath)];
  if (now.width !== before.width || now.height !== before.height)
    throw new RenderFailure(
      'other_size',
      `the picture has ${now.width} x ${now.height} pixels and the earlier one ${before.width} x ${before.height}; compare pictures of the same size`,
      { field },
    );
  if (now.width * now.height > maxPixels)
    throw new RenderFailure(
      'too_large',
      `pictures of more than ${maxPixels / 1e6} million pixels are not compared; ask for a smaller part`,
      { field },
    );
  return changedPixels(await pixelsOf(bytes), await pixelsOf(referencePath), now);
}

async function sizeOf(picture: Buffer | string) {
  const { width, height } = await sharp(picture, { limitInputPixels: false }).metadata();
  return { width, height };
}

/** Red, green, blue and opacity of each. */
const pixelsOf = (picture: Buffer | string): Promise<Buffer> =>
  sharp(picture, { limitInputPixels: maxPixels }).toColourspace('srgb').ensureAlpha().raw().toBuffer();

export function changedPixels(
  now: Buffer,
  before: Buffer,
  { width, height }: { width: number; height: number },
): PictureChange {
  const rowBytes = width * bytesPerPixel;
  let count = 0;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y += 1) {
    const start = y * rowBytes;
    if (now.compare(before, start, start + rowBytes, start, start + rowBytes) === 0) continue;
    for (let x = 0; x < width; x += 1) {
      const at = start + x * bytesPerPixel;
      if (now.readUInt32LE(at) === before.readUInt32LE(at)) continue;
      count += 1;
      left = Math.min(left, x);
      right = Math.max(right, x);
    }
    top = Math.min(top, y);
    bottom = y;
  }
  return {
    difference: count / (width * height),
    box: count === 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 },
  };
}
