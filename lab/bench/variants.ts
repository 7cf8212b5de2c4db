// Variants of pictures: what the first request for one costs beside sharp alone, and how fast the variant is served from then on,
// beside a file of the same bytes that was uploaded.
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { openLanes, requestBytes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { alternate, alternateLoad, type Work } from '#lab/bench/measure.ts';
import { startMeasuredService } from '#lab/bench/service.ts';
import { uploadOne } from '#test/support/uploading.ts';

const benchmark = 'variants';
const rounds = 21;
const warmUps = 3;
const lanes = 16;
const turns = 6;
const turn = { seconds: 1.5 };
const photo = { width: 4000, height: 3000 };
const query = '?width=1280&format=webp';

export async function benchVariants(say: (line: string) => void): Promise<Figure[]> {
  const picture = await makePhoto();
  const service = await startMeasuredService();
  const upload = (bytes: Buffer, filename: string) =>
    uploadOne(service.origin, service.key, { bytes, filename });
  try {
    say('the first request');
    // A variant is made once for each upload, so every round has one of its own.
    const uploads: { fileAt: string }[] = [];
    while (uploads.length < rounds + warmUps) uploads.push(await upload(picture, 'photo.jpg'));
    let made = Buffer.alloc(0);
    const first = await alternate(
      {
        service: async () => {
          const response = await fetch(uploads.pop()!.fileAt + query);
          if (response.status !== 200) throw new Error(`a variant is answered with ${response.status}`);
          made = Buffer.from(await response.arrayBuffer());
        },
        // With the same settings as in the service.
        sharp: () =>
          sharp(picture, { failOn: 'none' })
            .autoOrient()
            .resize({ width: 1280, withoutEnlargement: true })
            .webp({ quality: 80, effort: 2 })
            .toBuffer(),
      },
      rounds,
      warmUps,
    );

    say('once it is made');
    const [original, file] = [await upload(picture, 'photo.jpg'), await upload(made, 'small.webp')];
    await (await fetch(original.fileAt + query)).arrayBuffer();
    const variantPath = new URL(original.fileAt).pathname + query;
    const wires = await openLanes(service.origin, lanes, 200);
    const ask =
      (request: Buffer): Work =>
      (lane) =>
        wires.send(lane, request);
    const loads = await alternateLoad(
      {
        variant: ask(requestBytes('GET', variantPath)),
        file: ask(requestBytes('GET', new URL(file.fileAt).pathname)),
      },
      { lanes, turns, turn },
    );
    wires.close();
    const size = `${photo.width} × ${photo.height} JPEG to 1280 WebP`;
    return [
      figure(
        { benchmark, subject: `${size}, the first request`, unit: 'ms', against: 'sharp alone' },
        first.service,
        first.sharp,
      ),
      figure(
        {
          benchmark,
          subject: `${Math.round(made.length / 1024)} KB variant, requests`,
          unit: 'per second',
          against: 'a file of the same bytes',
          goal: { atLeast: 0.95 },
        },
        loads.variant.perSecond,
        loads.file.perSecond,
      ),
    ];
  } finally {
    await service.stop();
  }
}

/** Soft shapes with some grain, so that it is as hard to encode as a photograph. */
async function makePhoto(): Promise<Buffer> {
  const coarse = { width: 40, height: 30, channels: 3 as const };
  const shapes = await sharp(randomBytes(coarse.width * coarse.height * 3), { raw: coarse })
    .resize({ ...photo, kernel: 'cubic' })
    .toBuffer();
  const grain = await sharp({
    create: {
      ...photo,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 12 },
    },
  })
    .png({ compressionLevel: 0 })
    .toBuffer();
  return sharp(shapes, { raw: { ...photo, channels: 3 } })
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 88 })
    .toBuffer();
}
