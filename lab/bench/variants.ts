// Variants of pictures: what the first request for one costs beside sharp alone, in time and in processor time, and how fast the variant is
// served from then on, beside a file of the same bytes that was uploaded.
import { randomBytes } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { openLanes, requestBytes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { alternate, alternateLoad, type Work } from '#lab/bench/measure.ts';
import { startMeasuredService } from '#lab/bench/service.ts';
import { startTestBrowser } from '#test/support/browser.ts';
import { treeCpuMs } from '#test/support/process-table.ts';
import { uploadOne } from '#test/support/uploading.ts';
import { makePicture } from '#test/uploads/picture-kit.ts';

const benchmark = 'variants';
const rounds = 21;
const warmUps = 3;
const lanes = 16;
const turns = 6;
const turn = { seconds: 1.5 };
const photo = { width: 4000, height: 3000 };
const query = '?width=1280&format=webp';
const originals: [name: string, millionPixels: number, type: 'jpeg' | 'png' | 'webp' | 'avif'][] = [
  ['12 MP JPEG', 12, 'jpeg'],
  ['24 MP JPEG', 24, 'jpeg'],
  ['48 MP JPEG', 48, 'jpeg'],
  ['12 MP PNG', 12, 'png'],
  ['24 MP PNG', 24, 'png'],
  ['12 MP WebP', 12, 'webp'],
  ['24 MP WebP', 24, 'webp'],
  ['48 MP WebP', 48, 'webp'],
  ['12 MP AVIF', 12, 'avif'],
];
const costRounds = 5;
/** The kernel counts processor time in hundredths of a second. */
const perRound = 3;

export async function benchVariants(say: (line: string) => void): Promise<Figure[]> {
  sharp.concurrency(1);
  sharp.cache(false);
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
    const costs = await measureCosts(say);
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
      ...costs,
    ];
  } finally {
    await service.stop();
  }
}

/** Processor time of a variant, of this process and of the worker together; with sharp, at the same settings, of this process alone. */
async function measureCosts(say: (line: string) => void): Promise<Figure[]> {
  const browser = await startTestBrowser([]);
  const costs: Figure[] = [];
  // A busy pool starts a spare worker, which is not what is measured.
  const first = await encoded('jpeg', 12);
  for (let time = 0; time < 10; time += 1)
    await makePicture(browser, first, { contentType: 'image/jpeg', width: 1280 });
  for (const [name, millionPixels, type] of originals) {
    say(`processor time of a ${name}`);
    const bytes = await encoded(type, millionPixels);
    const { width, height } = await sharp(bytes).metadata();
    for (const wanted of [320, 1280]) {
      for (const format of ['webp', 'jpeg', 'png'] as const) {
        const change = { contentType: `image/${type}`, size: { width, height }, width: wanted, format };
        const ours = () => makePicture(browser, bytes, change);
        const theirs = () => encoders[format](sharp(bytes).autoOrient().resize({ width: wanted })).toBuffer();
        const described = { subject: `${name} to ${wanted} ${format}, processor time`, unit: 'ms' } as const;
        const spent = await alternateCosts(ours, theirs);
        const goal = { atMost: 1.5 };
        costs.push(
          figure({ benchmark, ...described, against: 'sharp alone', goal }, spent.ours, spent.theirs),
        );
      }
    }
  }
  await browser.close();
  return costs;
}

const encoders: Record<'webp' | 'jpeg' | 'png', (picture: Sharp) => Sharp> = {
  webp: (picture) => picture.webp({ quality: 80, effort: 2 }),
  jpeg: (picture) => picture.flatten({ background: 'white' }).jpeg({ quality: 82 }),
  png: (picture) => picture.png({ compressionLevel: 7 }),
};

async function alternateCosts(ours: () => Promise<unknown>, theirs: () => Promise<unknown>) {
  const spent = { ours: [] as number[], theirs: [] as number[] };
  for (let round = -1; round < costRounds; round += 1) {
    for (const [name, work] of Object.entries({ ours, theirs })) {
      const before = treeCpuMs(process.pid);
      for (let time = 0; time < perRound; time += 1) await work();
      if (round >= 0) spent[name as 'ours' | 'theirs'].push((treeCpuMs(process.pid) - before) / perRound);
    }
  }
  return spent;
}

/** A photo, except that a PNG of one would be larger than an upload. */
async function encoded(type: (typeof originals)[number][2], millionPixels: number): Promise<Buffer> {
  const scale = Math.sqrt(millionPixels / 12);
  const size = { width: Math.round(4000 * scale), height: Math.round(3000 * scale) };
  if (type === 'png') return sharp(drawing(size), { limitInputPixels: false }).removeAlpha().png().toBuffer();
  const photo = sharp(await makePhoto()).resize(size);
  const photoAs = {
    jpeg: () => photo.jpeg({ quality: 82 }),
    webp: () => photo.webp({ quality: 80, effort: 1 }),
    avif: () => photo.avif({ quality: 50, effort: 0 }),
  };
  return photoAs[type]().toBuffer();
}

function drawing({ width, height }: typeof photo): Buffer {
  const line = (place: number): string =>
    `<rect x="${(place * 97) % (width / 2)}" y="${place * 60}" width="${width / 3}" height="40" rx="8" fill="hsl(${place * 37},60%,70%)"/>`;
  const lines = Array.from({ length: Math.floor(height / 60) }, (_, place) => line(place)).join('');
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${lines}</svg>`,
  );
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
