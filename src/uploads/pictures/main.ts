// The program that decodes pictures, which are hostile: one at a time, with limits, in a process that can do nothing else. It gets a job
// and a picture and answers with a variant; the service loses nothing when it dies.
import sharp, { type Sharp } from 'sharp';
import { lowerPriority, workerNiceness } from '#browser/process/priority.ts';
import { become, workerUsers } from '#browser/process/unprivileged.ts';
import type { Dimensions } from '#core/image-header.ts';
import { detectionBytes, detectType, type DetectedType } from '#uploads/detect-type.ts';
import { isAnimated } from '#uploads/pictures/animated.ts';
import { frameHead, readFrames, type FrameKind, type PictureJob } from '#uploads/pictures/frames.ts';
import { maxOriginalBytes, maxVariantBytes } from '#uploads/pictures/limits.ts';
import { inSrgb, pngColours, type PngColours } from '#uploads/pictures/png-colours.ts';
import { maxPixels, maxWebpPixels } from '#uploads/pictures/variant.ts';

const maxSeconds = 10;
const maxJpegPixels = 65_535;
const maxDensity = 100_000;
const decoders = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Svg'];

let job: PictureJob | undefined;

lowerPriority(workerNiceness);
sharp.cache(false);
sharp.concurrency(1);
// This build of libvips reads TIFF, PDF and more.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: decoders.map((name) => `VipsForeignLoad${name}`) });
// All code is loaded; from here on there are pictures of strangers.
const users = workerUsers();
if (users) become(users.worker);
readFrames(process.stdin, maxOriginalBytes, {
  onFrame(kind, data) {
    if (kind === 'job') job = JSON.parse(data.toString()) as PictureJob;
    else if (job) answer(job, data).catch(die);
  },
  onBroken: die,
});
send('ready');

/** Not `exit`, which waits for the threads that decode. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function answer(wanted: PictureJob, bytes: Buffer): Promise<void> {
  try {
    const type = detectType(bytes.subarray(0, detectionBytes));
    if (type === 'markup' && wanted.isDrawing === true) await draw(wanted, bytes);
    else if (type === undefined || type === 'markup')
      send('unreadable', Buffer.from('it is of another type'));
    else if (isAnimated(type, bytes)) send('original');
    else await make(wanted, type, bytes);
  } catch (error) {
    // In another size or format it may be made: that takes other time and memory.
    send(
      error instanceof UnreadableHeader ? 'unreadable' : 'refused',
      Buffer.from(reasonOf((error as Error).message)),
    );
  }
}

/** The decoder refuses the picture before any variant is begun. */
class UnreadableHeader extends Error {}

async function make({ width, format }: PictureJob, type: DetectedType, bytes: Buffer): Promise<void> {
  // What a browser shows of a damaged picture is shown in its variants too.
  const stored = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'none', pages: 1 });
  // Browsers show a WebP as it is stored, whatever its EXIF says.
  const picture = type === 'image/webp' ? stored : stored.autoOrient();
  const header = await picture.metadata().catch((error: Error) => {
    throw new UnreadableHeader(error.message);
  });
  if (!fits(type === 'image/webp' ? header : header.autoOrient, width, format)) {
    send('refused', Buffer.from(`it would be too long for ${format}`));
    return;
  }
  const resized = picture.resize({ width, withoutEnlargement: true }).timeout({ seconds: maxSeconds });
  const colours = type === 'image/png' ? pngColours(bytes) : undefined;
  const shown = colours ? await asShown(resized, header.depth === 'ushort', colours) : resized;
  const made = await encoders[format](shown).timeout({ seconds: maxSeconds }).toBuffer();
  if (made.length > maxVariantBytes)
    send('refused', Buffer.from(`it would have more than ${maxVariantBytes} bytes`));
  else send('made', made);
}

/** In the colours that browsers show. */
async function asShown(picture: Sharp, isDeep: boolean, colours: PngColours): Promise<Sharp> {
  const stored = isDeep ? picture.toColourspace('rgb16').raw({ depth: 'ushort' }) : picture.raw();
  const pixels = await stored.toBuffer({ resolveWithObject: true });
  const { width, height, channels } = pixels.info;
  return sharp(inSrgb(pixels, isDeep, colours), { raw: { width, height, channels } });
}

/** On white, because chats are light or dark and most drawings are meant for paper. */
async function draw({ width: side = 0, format }: PictureJob, bytes: Buffer): Promise<void> {
  const options = { limitInputPixels: maxPixels };
  const { width, height } = await sharp(bytes, options).metadata();
  // At 72 dots an inch it has its own size.
  const density = Math.min(Math.max((72 * side) / Math.max(width, height), 1), maxDensity);
  const made = await encoders[format](
    sharp(bytes, { ...options, density })
      .resize({ width: side, height: side, fit: 'inside' })
      .flatten({ background: 'white' }),
  ).toBuffer();
  if (made.length > maxVariantBytes)
    send('refused', Buffer.from(`it would have more than ${maxVariantBytes} bytes`));
  else send('made', made);
}

const encoders: Record<PictureJob['format'], (picture: Sharp) => Sharp> = {
  webp: (picture) => picture.webp({ quality: 80, effort: 2 }),
  jpeg: (picture) => picture.flatten({ background: 'white' }).jpeg({ quality: 82 }),
  png: (picture) => picture.png({ compressionLevel: 7 }),
};

function fits(size: Dimensions, width: number | undefined, format: PictureJob['format']): boolean {
  const scale = Math.min(1, (width ?? size.width) / size.width);
  const longest = Math.max(size.width, size.height) * scale;
  return longest <= { webp: maxWebpPixels, jpeg: maxJpegPixels, png: Infinity }[format];
}

function reasonOf(message: string): string {
  if (/pixel limit/.test(message)) return `it has more than ${maxPixels / 1e6} million pixels`;
  if (/timeout/.test(message)) return 'it takes too long to decode';
  if (/memory|alloc/i.test(message)) return 'it takes too much memory to decode';
  return 'it cannot be decoded';
}

function send(kind: FrameKind, data = Buffer.alloc(0)): void {
  process.stdout.write(frameHead(kind, data.length));
  process.stdout.write(data);
}
