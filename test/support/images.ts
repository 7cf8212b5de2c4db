// Small valid images of every accepted type.
import sharp from 'sharp';

const canvas = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 180, g: 90, b: 40, alpha: 0.5 } } });

export const png = (width = 12, height = 8): Promise<Buffer> => canvas(width, height).png().toBuffer();
export const jpeg = (width = 12, height = 8): Promise<Buffer> => canvas(width, height).jpeg().toBuffer();
export const gif = (width = 12, height = 8): Promise<Buffer> => canvas(width, height).gif().toBuffer();
export const webp = (width = 12, height = 8): Promise<Buffer> => canvas(width, height).webp().toBuffer();
export const avif = (width = 64, height = 48): Promise<Buffer> =>
  canvas(width, height).avif({ effort: 0 }).toBuffer();
export const svg = (body = '<rect width="10" height="10"/>'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30">${body}</svg>`);

/** A PNG of exactly this many bytes: padded after its end. */
export async function pngOfSize(bytes: number): Promise<Buffer> {
  const image = await png();
  return Buffer.concat([image, Buffer.alloc(bytes - image.length)]);
}
