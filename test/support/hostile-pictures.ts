// Pictures that were made to hurt whoever decodes them, and damaged ones of every type: a picture for each number.
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { damaged } from '#lab/prove/fuzz/pictures.ts';
import { createRandom } from '#lab/prove/fuzz/random.ts';

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#468' } });
const noise = { type: 'gaussian', mean: 120, sigma: 40 } as const;
const photo = () =>
  sharp({ create: { width: 400, height: 300, channels: 3, background: 'black', noise } }).blur(2);

const originals = await Promise.all([
  photo().jpeg().toBuffer(),
  photo().jpeg({ progressive: true }).toBuffer(),
  photo().png().toBuffer(),
  photo().png({ progressive: true }).toBuffer(),
  photo().webp().toBuffer(),
  photo().webp({ lossless: true }).toBuffer(),
  photo().gif().toBuffer(),
  photo().avif({ effort: 0 }).toBuffer(),
]);

/** Few bytes that are many pixels, up to the limit and past it. */
const bombs: (() => Promise<Buffer> | Buffer)[] = [
  () => pngOf(30_000, 30_000),
  () => pngOf(7_700, 7_700),
  () => pngOf(60_000_000, 1),
  () => pngOf(1, 60_000_000),
  () => plain(4_000, 4_000).webp({ effort: 0 }).toBuffer(),
  () => plain(1_600, 1_600).avif({ effort: 0, quality: 20 }).toBuffer(),
  () => plain(4_000, 4_000).jpeg({ progressive: true, quality: 20 }).toBuffer(),
  // A canvas of 65,535 pixels each way, and a frame of one.
  () => Buffer.from('474946383961ffffffff8000000000ffffff2c00000000010001000002024401003b', 'hex'),
];
const made = new Map<number, Promise<Buffer>>();

/** Every tenth is a bomb, with a few bytes more so that each is another file. */
export async function hostilePicture(number: number): Promise<Buffer> {
  const random = createRandom(32, number);
  if (number % 10 !== 0) return damaged(random, random.pick(originals), originals);
  const place = (number / 10) % bombs.length;
  const bomb = made.get(place) ?? Promise.resolve(bombs[place]!());
  made.set(place, bomb);
  return Buffer.concat([await bomb, Buffer.from(String(number))]);
}

/** A PNG of zeros, of which the data has at most a million lines. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, body: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), body]);
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(body.length);
    checksum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, checksum]);
  };
  const header = Buffer.from('00000000000000000800000000', 'hex');
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const data = deflateSync(Buffer.alloc(Math.min((width + 1) * height, 60_000_000)));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
