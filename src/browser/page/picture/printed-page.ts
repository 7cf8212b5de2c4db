// Makes the picture of a printed page.
import sharp from 'sharp';
import { RenderFailure } from '#browser/browser.ts';
import type { PictureOutput } from '#browser/job.ts';
import type { Attempt, MadeOutput } from '#browser/page/attempt.ts';
import { longestPx, maxPiecePixels } from '#browser/page/picture/capture.ts';
import { encode, type Picture } from '#browser/page/picture/encode.ts';
import { imageSize } from '#browser/page/picture/image-size.ts';
import { openPdfPainter } from '#browser/pdf/pdf-painter.ts';

const pxPerPt = 96 / 72;

/** `pdf` has one page. Calls `count` with the pixels of the picture before it is made. */
export async function drawPage(
  { task: { view }, deadline: { signal }, begin }: Attempt,
  output: PictureOutput,
  { bytes, cut }: MadeOutput,
  count: (pixels: number) => void,
): Promise<MadeOutput> {
  await using painter = openPdfPainter();
  const size = await painter.call('open', new Uint8Array(bytes), signal);
  const [width, height] = [size.width, size.height].map((pt) =>
    Math.max(1, Math.round(pt * pxPerPt * view.pixelRatio)),
  ) as [number, number];
  const { format, omitBackground } = output;
  if (Math.max(width, height) > longestPx[format])
    throw new RenderFailure(
      'too_large',
      `the page is ${width} x ${height} pixels, and a ${format} has at most ${longestPx[format]} on a side; lower viewport.pixel_ratio`,
    );
  count(width * height);
  const pieceHeight = Math.max(1, Math.floor(maxPiecePixels / width));
  const pictures: Picture[] = [];
  for (let top = 0; top < height; top += pieceHeight) {
    const piece = { width, height: Math.min(pieceHeight, height - top) };
    const pixels = await painter.call(
      'draw',
      { whole: { width, height }, top, pieceHeight: piece.height, isTransparent: omitBackground },
      signal,
    );
    const raw = sharp(pixels, { raw: { ...piece, channels: 4 }, limitInputPixels: false });
    pictures.push({ ...piece, bytes: await raw.png({ compressionLevel: 1 }).toBuffer() });
  }
  begin('encode');
  const picture = await encode(pictures, [], output);
  const made = imageSize(picture, format);
  if (!made) throw new RenderFailure('crashed', 'the printed page gave no picture');
  return { bytes: picture, ...made, pages: null, cut };
}
