// Reads colours back from encoded pictures.
import sharp from 'sharp';

export interface Picture {
  width: number;
  height: number;
  format: string;
  /** Red, green, blue. */
  at(x: number, y: number): [number, number, number];
}

export async function decode(bytes: Buffer): Promise<Picture> {
  const image = sharp(bytes, { limitInputPixels: false });
  const { format } = await image.metadata();
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return {
    width: info.width,
    height: info.height,
    format: format ?? '',
    at(x, y) {
      const offset = (y * info.width + x) * info.channels;
      return [data[offset]!, data[offset + 1]!, data[offset + 2]!];
    },
  };
}

/** Lossy formats change a colour slightly. */
export function isNear(actual: readonly number[], expected: readonly number[], tolerance = 12): boolean {
  return actual.every((value, index) => Math.abs(value - expected[index]!) <= tolerance);
}

const known: Record<string, readonly number[]> = {
  green: [0, 160, 0],
  grey: [221, 221, 221],
  white: [255, 255, 255],
  red: [200, 0, 0],
  yellow: [255, 255, 0],
};

/** The name of a colour of the test pages, or its numbers. */
export function nameOf(colour: readonly number[]): string {
  const name = Object.keys(known).find((key) => isNear(colour, known[key]!));
  return name ?? `rgb(${colour.join(',')})`;
}

/** The colour of the page's box at (100, 100): what the settle fixtures draw. */
export async function colourOf(bytes: Buffer, x = 100, y = 100): Promise<string> {
  return nameOf((await decode(bytes)).at(x, y));
}
