// Scales a PNG to a size that models accept. Models scale pictures to 1,568 px themselves, or refuse larger ones. Rows are read one by
// one, so a page of any height needs little memory. It reads only the kind of PNG that the service makes: 8 bits, RGB or RGBA, not interlaced.
import { createInflate, crc32, deflateSync } from 'node:zlib';
import { Readable } from 'node:stream';

export const longestSide = 1568;
const signature = Buffer.from('89504e470d0a1a0a', 'hex');

interface Sized {
  png: Uint8Array;
  width: number;
  height: number;
}

/** Base64 makes it a third larger, and models accept at most 5 MB. */
const maxBytes = 3_500_000;

/** Undefined if it is not such a PNG. A picture that is still too large, such as noise, is halved until it fits. */
export async function scalePng(bytes: Uint8Array): Promise<Sized | undefined> {
  let side = longestSide;
  let sized = await scaleTo(side, bytes);
  while (sized && sized.png.length > maxBytes && side > 100) sized = await scaleTo((side /= 2), bytes);
  return sized;
}

/** Each new pixel is the mean of the old pixels that it covers. */
async function scaleTo(side: number, bytes: Uint8Array): Promise<Sized | undefined> {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (png.length < 33 || !png.subarray(0, 8).equals(signature)) return undefined;
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = { 2: 3, 6: 4 }[png.readUInt8(25)];
  if (channels === undefined || png.readUInt8(24) !== 8 || png.readUInt8(28) !== 0) return undefined;
  const ratio = side / Math.max(width, height);
  if (ratio >= 1) return { png: bytes, width, height };

  const newWidth = Math.max(1, Math.round(width * ratio));
  const newHeight = Math.max(1, Math.round(height * ratio));
  const rowBytes = newWidth * channels;
  const output = Buffer.alloc((rowBytes + 1) * newHeight);
  const columnOf = Uint32Array.from(
    { length: width },
    (_, x) => Math.floor((x * newWidth) / width) * channels,
  );
  const sums = new Float64Array(rowBytes);
  const counts = new Uint32Array(rowBytes);
  let at = 0;
  let y = 0;
  for await (const row of rowsOf(png, width * channels, channels)) {
    const target = Math.floor((y * newHeight) / height);
    if (target !== at) finishRow();
    at = target;
    for (let x = 0; x < width; x += 1) {
      const column = columnOf[x] ?? 0;
      for (let channel = 0; channel < channels; channel += 1) {
        sums[column + channel] = (sums[column + channel] ?? 0) + (row[x * channels + channel] ?? 0);
        counts[column + channel] = (counts[column + channel] ?? 0) + 1;
      }
    }
    y += 1;
  }
  if (y !== height) return undefined;
  finishRow();
  const header = Buffer.from(png.subarray(16, 29));
  header.writeUInt32BE(newWidth, 0);
  header.writeUInt32BE(newHeight, 4);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(output)), chunk('IEND', Buffer.alloc(0))];
  return { png: Buffer.concat([signature, ...parts]), width: newWidth, height: newHeight };

  function finishRow(): void {
    const start = at * (rowBytes + 1) + 1;
    for (let index = 0; index < rowBytes; index += 1)
      output[start + index] = Math.round((sums[index] ?? 0) / (counts[index] || 1));
    sums.fill(0);
    counts.fill(0);
  }
}

/** The rows, unfiltered; each is valid until the next one. PNG, third edition, 9. */
async function* rowsOf(png: Buffer, rowBytes: number, step: number): AsyncGenerator<Buffer> {
  // With the byte before each row that names its filter.
  let [row, before] = [Buffer.alloc(rowBytes + 1), Buffer.alloc(rowBytes + 1)];
  let filled = 0;
  for await (const piece of Readable.from(dataOf(png)).pipe(createInflate())) {
    for (let at = 0; at < (piece as Buffer).length;) {
      const taken = (piece as Buffer).copy(row, filled, at);
      at += taken;
      filled += taken;
      if (filled < row.length) break;
      unfilter(row[0] ?? 0, row.subarray(1), before.subarray(1), step);
      yield row.subarray(1);
      [row, before] = [before, row];
      filled = 0;
    }
  }
}

function* dataOf(png: Buffer): Generator<Buffer> {
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      yield png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
}

function unfilter(kind: number, row: Buffer, before: Buffer, step: number): void {
  if (kind === 0) return;
  for (let index = 0; index < row.length; index += 1) {
    const left = index < step ? 0 : (row[index - step] ?? 0);
    const up = before[index] ?? 0;
    const corner = index < step ? 0 : (before[index - step] ?? 0);
    const guesses = [0, left, up, (left + up) >> 1];
    row[index] = (row[index] ?? 0) + (kind === 4 ? nearest(left, up, corner) : (guesses[kind] ?? 0));
  }
}

function nearest(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
