// The colours of a PNG that gives them as numbers, in `gAMA` and `cHRM` chunks. Browsers follow these; the decoder follows only colour profiles.
// PNG 3 sections 4.3, 11.3.2, 13.13.
import { crc32 } from 'node:zlib';

/** How to convert stored values to sRGB. */
export interface PngColours {
  /** A stored value raised to this power is linear light. */
  exponent: number;
  /** Converts linear light from the picture's primaries to those of sRGB; undefined if they are the same. */
  matrix: Matrix | undefined;
}

/** Decoded: 8 bits for each channel, or 16 in the byte order of this machine. */
export interface Pixels {
  data: Buffer;
  info: { width: number; height: number; channels: 1 | 2 | 3 | 4 };
}

/** In the order in which the chunk has them: white, red, green, blue. */
type Primaries = [x: number, y: number][];
type Row = [number, number, number];
type Matrix = [Row, Row, Row];

const headerEnd = 33;
/** The chunks store each number times this. */
const parts = 100_000;
/** A gamma that differs from 1/2.2 by no more than this share counts as that of sRGB. */
const nearEnough = 0.05;
const srgb: Primaries = [
  [0.3127, 0.329],
  [0.64, 0.33],
  [0.3, 0.6],
  [0.15, 0.06],
];
const bradford: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/** Undefined if the colours are those of sRGB, or if the PNG describes them in another way. */
export function pngColours(png: Buffer): PngColours | undefined {
  const found = new Map<string, Buffer>();
  for (let at = headerEnd; at + 12 <= png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT' || end + 4 > png.length) break;
    // A chunk with a wrong checksum is ignored, and of two the first one counts.
    if (crc32(png.subarray(at + 4, end)) === png.readUInt32BE(end) && !found.has(type))
      found.set(type, png.subarray(at + 8, end));
    at = end + 4;
  }
  // These take precedence.
  if (['cICP', 'iCCP', 'sRGB'].some((type) => found.has(type))) return undefined;
  const [given, primaries] = [found.get('gAMA'), found.get('cHRM')];
  const gamma = given?.length === 4 ? given.readUInt32BE() / parts : 0;
  // Without a gamma, primaries alone are ignored.
  if (gamma === 0) return undefined;
  const matrix = primaries?.length === 32 ? toSrgbFrom(primariesIn(primaries)) : undefined;
  // Primaries on one line span no colours. Then neither chunk is followed.
  if (matrix === null) return undefined;
  const isUsual = Math.abs(gamma * 2.2 - 1) <= nearEnough;
  return isUsual && !matrix ? undefined : { exponent: 1 / gamma, matrix };
}

/** The same pixels in sRGB, with 8 bits for each channel. Alpha stays as it is. */
export function inSrgb({ data, info }: Pixels, isDeep: boolean, { exponent, matrix }: PngColours): Buffer {
  const values = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  const most = isDeep ? 0xffff : 0xff;
  const light = Float64Array.from({ length: most + 1 }, (_, value) => (value / most) ** exponent);
  const { channels } = info;
  const colours = channels - (channels % 2 === 0 ? 1 : 0);
  const shown = Buffer.alloc(values.length);
  for (let at = 0; at < values.length; at += channels) {
    if (matrix && colours === 3) {
      const [red, green, blue] = [light[values[at]!]!, light[values[at + 1]!]!, light[values[at + 2]!]!];
      for (let row = 0; row < 3; row += 1) {
        const [ofRed, ofGreen, ofBlue] = matrix[row]!;
        shown[at + row] = encoded(ofRed * red + ofGreen * green + ofBlue * blue);
      }
    } else
      for (let colour = 0; colour < colours; colour += 1)
        shown[at + colour] = encoded(light[values[at + colour]!]!);
    if (colours < channels) shown[at + colours] = Math.round((values[at + colours]! * 0xff) / most);
  }
  return shown;
}

const steps = 0xffff;
/** IEC 61966-2-1. */
const encodings = Uint8Array.from({ length: steps + 1 }, (_, step) => {
  const light = step / steps;
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
});
const encoded = (light: number): number => encodings[Math.round(Math.min(Math.max(light, 0), 1) * steps)]!;

const primariesIn = (chunk: Buffer): Primaries =>
  Array.from({ length: 4 }, (_, place) => [
    chunk.readUInt32BE(8 * place) / parts,
    chunk.readUInt32BE(8 * place + 4) / parts,
  ]);

/** Undefined if they are those of sRGB, null if they are none. */
function toSrgbFrom(primaries: Primaries): Matrix | undefined | null {
  const isSame = primaries.every(
    ([x, y], place) => Math.hypot(x - srgb[place]![0], y - srgb[place]![1]) < 0.001,
  );
  if (isSame) return undefined;
  const [own, shown] = [lightOf(primaries), inverted(lightOf(srgb)!)!];
  return own ? product(shown, own) : null;
}

/** From red, green and blue to XYZ, with the white adapted to that of sRGB. Undefined for primaries that span no colours. */
function lightOf([white, ...primaries]: Primaries): Matrix | undefined {
  const xyz = ([x, y]: [number, number]): Row => [x / y, 1, (1 - x - y) / y];
  const unscaled = transposed(primaries.map(xyz) as Matrix);
  const inverse = inverted(unscaled);
  if (!inverse) return undefined;
  const scales = times(inverse, xyz(white!));
  const scaled = unscaled.map((row) => row.map((value, place) => value * scales[place]!)) as Matrix;
  const [from, to] = [times(bradford, xyz(white!)), times(bradford, xyz(srgb[0]!))];
  const adapted = bradford.map((row, place) =>
    row.map((value) => (value * to[place]!) / from[place]!),
  ) as Matrix;
  const result = product(product(inverted(bradford)!, adapted), scaled);
  return result.flat().every(Number.isFinite) ? result : undefined;
}

const transposed = (matrix: Matrix): Matrix =>
  [0, 1, 2].map((column) => matrix.map((row) => row[column]!)) as Matrix;

const times = (matrix: Matrix, [a, b, c]: Row): Row =>
  matrix.map((row) => row[0] * a + row[1] * b + row[2] * c) as Row;

const product = (left: Matrix, right: Matrix): Matrix =>
  transposed(transposed(right).map((column) => times(left, column)) as Matrix);

function inverted(matrix: Matrix): Matrix | undefined {
  const cross = ([a, b, c]: Row, [d, e, f]: Row): Row => [b * f - c * e, c * d - a * f, a * e - b * d];
  const [first, second, third] = matrix;
  const columns: Matrix = [cross(second, third), cross(third, first), cross(first, second)];
  const determinant = first[0] * columns[0][0] + first[1] * columns[0][1] + first[2] * columns[0][2];
  if (!Number.isFinite(determinant) || Math.abs(determinant) < 1e-6) return undefined;
  return transposed(columns.map((column) => column.map((value) => value / determinant)) as Matrix);
}
