// Makes one picture of the pieces that were captured: joins them, sets patches in, resizes, encodes.
import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import type { Dimensions } from '#core/image-header.ts';
import type { PictureOutput, Resize } from '#browser/job.ts';

/** A part of the document, in CSS pixels from its left and top edge. */
export interface Area extends Dimensions {
  x: number;
  y: number;
}

/** A part of the document as it looks when a reader has scrolled to it. */
export interface Patch extends Area {
  png: Buffer;
}

export interface Picture extends Dimensions {
  bytes: Buffer;
}

export type Encoding = Pick<PictureOutput, 'format' | 'quality' | 'resize'>;

/** In pixels of the picture; of a patch that extends beyond it, the part inside. */
export async function overlaysOf(
  patches: Patch[],
  area: Area,
  pixelRatio: number,
): Promise<OverlayOptions[]> {
  // Rounded down, so that no part is larger than what it is cut out of.
  const pixels = (length: number) => Math.floor(length * pixelRatio);
  const overlays: OverlayOptions[] = [];
  for (const { png, x, y, width, height } of patches) {
    const [left, top] = [Math.max(x, area.x), Math.max(y, area.y)];
    const [right, bottom] = [
      Math.min(x + width, area.x + area.width),
      Math.min(y + height, area.y + area.height),
    ];
    if (left >= right || top >= bottom) continue;
    const isInside = right - left === width && bottom - top === height;
    const part = { left: pixels(left - x), top: pixels(top - y) };
    const size = { width: pixels(right - left), height: pixels(bottom - top) };
    const input = isInside
      ? png
      : await sharp(png)
          .extract({ ...part, ...size })
          .png()
          .toBuffer();
    overlays.push({ input, left: pixels(left - area.x), top: pixels(top - area.y) });
  }
  return overlays;
}

export async function encode(
  pictures: Picture[],
  overlays: OverlayOptions[],
  { format, quality, resize }: Encoding,
): Promise<Buffer> {
  const plain =
    pictures.length === 1 ? sharp(pictures[0]!.bytes, { limitInputPixels: false }) : join(pictures);
  const whole = overlays.length === 0 ? plain : plain.composite(overlays);
  const image = resize === null ? whole : await resized(whole, resize, overlays.length > 0);
  const encoders = {
    png: () => image.png({ compressionLevel: 3 }),
    jpeg: () => image.flatten().jpeg({ quality }),
    webp: () => image.webp({ quality, effort: 2 }),
  };
  return encoders[format]().toBuffer();
}

/** Sharp would set overlays into the resized picture. */
async function resized(image: Sharp, { width, height, fit }: Resize, hasOverlays: boolean): Promise<Sharp> {
  const flat = hasOverlays
    ? sharp(await image.png({ compressionLevel: 1 }).toBuffer(), { limitInputPixels: false })
    : image;
  const size = { ...(width !== null && { width }), ...(height !== null && { height }) };
  return flat.resize({ ...size, fit, withoutEnlargement: true });
}

/** Pieces are joined while they are read, so that the whole picture is never in memory as pixels. */
function join(pictures: Picture[]): Sharp {
  // Joining pads all pieces to the height of the first; the padding of the last is cut off again.
  const height = pictures.reduce((sum, picture) => sum + picture.height, 0);
  const options = { limitInputPixels: false, join: { across: 1 } } as const;
  return sharp(
    pictures.map(({ bytes }) => bytes),
    options,
  ).extract({ left: 0, top: 0, width: pictures[0]!.width, height });
}
