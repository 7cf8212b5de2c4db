// Growth: the same requests with a thousand, a hundred thousand and a million stored uploads, with one and ten thousand accounts,
// and uploads during the sweep of a hundred thousand expired ones.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openLanes, requestBytes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { fillAccounts, fillUploads } from '#lab/bench/fill.ts';
import { pictureOf, uploadRequest } from '#lab/bench/forms.ts';
import { alternate, runTurn, type Work } from '#lab/bench/measure.ts';
import { signIn, startMeasuredService, type MeasuredService } from '#lab/bench/service.ts';

const benchmark = 'growth';
const rounds = 240;
const warmUps = 20;
/** Many, so that nearly every read is of another file. */
const withBytes = rounds + warmUps;
const sizes = { thousand: 1_000, 'hundred thousand': 100_000, million: 1_000_000 };
type Size = keyof typeof sizes;
const expired = 100_000;

interface Grown {
  service: MeasuredService;
  slugs: string[];
}

export async function benchGrowth(say: (line: string) => void): Promise<Figure[]> {
  const bytes = await pictureOf(10 * 1024);
  const figures: Figure[] = [];
  const grown = new Map<Size | 'accounts', Grown>();
  try {
    for (const [size, uploads] of Object.entries(sizes) as [Size, number][]) {
      say(`filling in ${uploads.toLocaleString('en')} uploads`);
      grown.set(size, await startGrown(uploads, bytes));
    }
    grown.set('accounts', await startGrown(1_000, bytes, 10_000));
    for (const [subject, open] of Object.entries(requests(bytes))) {
      say(subject);
      figures.push(...(await measureGrowth(subject, grown, open)));
    }
  } finally {
    for (const { service } of grown.values()) await service.stop();
  }
  say(`sweeping ${expired.toLocaleString('en')} expired uploads`);
  figures.push(await measureSweep(bytes));
  return figures;
}

type Opened = { work: Work; close: () => void };

/** The requests to each service, one after the other. */
function requests(bytes: Buffer): Record<string, (grown: Grown) => Promise<Opened>> {
  return {
    'upload of 10 KB': ({ service }) =>
      sending(service, 201, [uploadRequest('/api/v1/upload', service.key, [bytes])]),
    'share page': ({ service, slugs }) =>
      sending(
        service,
        200,
        slugs.map((slug) => requestBytes('GET', `/i/${slug}`, { accept: 'text/html' })),
      ),
    'file of 10 KB': ({ service, slugs }) =>
      sending(
        service,
        200,
        slugs.map((slug) => requestBytes('GET', `/f/${slug}`)),
      ),
    'list in the dashboard': async ({ service }) =>
      sending(service, 200, [
        requestBytes('GET', '/api/dashboard/uploads?limit=40', { cookie: await signIn(service) }),
      ]),
  };
}

async function sending({ origin }: MeasuredService, status: number, list: Buffer[]): Promise<Opened> {
  const wire = await openLanes(origin, 1, status);
  let next = 0;
  const work: Work = (lane) => wire.send(lane, list[(next += 1) % list.length] ?? Buffer.alloc(0));
  return { work, close: wire.close };
}

async function measureGrowth(
  subject: string,
  grown: Map<Size | 'accounts', Grown>,
  open: (grown: Grown) => Promise<Opened>,
): Promise<Figure[]> {
  const opened = await Promise.all(
    [...grown].map(async ([name, service]) => [name, await open(service)] as const),
  );
  const works = Object.fromEntries(opened.map(([name, { work }]) => [name, work]));
  const times = await alternate(works as Record<Size | 'accounts', Work>, rounds, warmUps);
  for (const [, { close }] of opened) close();
  const described = { benchmark, unit: 'ms', against: 'a thousand' } as const;
  const figures = [
    figure(
      { ...described, subject: `${subject}, of a million`, goal: { atMost: 1.2 } },
      times.million,
      times.thousand,
    ),
    figure(
      { ...described, subject: `${subject}, of a hundred thousand` },
      times['hundred thousand'],
      times.thousand,
    ),
  ];
  if (!subject.startsWith('upload')) return figures;
  // Every upload checks and counts the quota.
  const accounts = { ...described, subject: `${subject}, quota of one in 10,000 accounts` };
  return [...figures, figure({ ...accounts, against: 'of one account' }, times.accounts, times.thousand)];
}

async function startGrown(uploads: number, bytes: Buffer, accounts = 0): Promise<Grown> {
  let slugs: string[] = [];
  const service = await startMeasuredService(
    {},
    {
      prepare: async ({ dataDir, accountId }) => {
        fillAccounts(dataDir, accounts);
        slugs = fillUploads({ dataDir, accountId, uploads, withBytes, bytes });
      },
    },
  );
  return { service, slugs };
}

/** The uploads of four clients before the others expire, and then until all expired ones are gone. */
async function measureSweep(bytes: Buffer): Promise<Figure> {
  const aloneMs = 12_000;
  const longestMs = 60_000;
  let expiresAt = 0;
  const service = await startMeasuredService(
    {},
    {
      prepare: async ({ dataDir, accountId }) => {
        // Filling and starting take time, too.
        expiresAt = Date.now() + 30_000;
        fillUploads({
          dataDir,
          accountId,
          uploads: expired,
          withBytes: expired,
          bytes: Buffer.from('x'),
          expiresAt,
        });
      },
    },
  );
  const database = new DatabaseSync(join(service.dataDir, 'tintype.db'), { readOnly: true });
  const left = database.prepare('select count(*) as rows from uploads where expires_at is not null');
  const wires = await openLanes(service.origin, 4, 201);
  try {
    assert.ok(Date.now() < expiresAt - 1_000, 'filling in took longer than the uploads live');
    const request = uploadRequest('/api/v1/upload', service.key, [bytes]);
    const work: Work = (lane) => wires.send(lane, request);
    await runTurn(work, 4, { seconds: 1 });
    const alone = await runTurn(work, 4, {
      seconds: Math.min(aloneMs, expiresAt - Date.now()) / 1_000,
    });
    const isSwept = (): boolean => Number(left.get()?.['rows']) === 0;
    const isBegun = (): boolean => Number(left.get()?.['rows']) < expired;
    const until = Date.now() + longestMs;
    while (!isBegun() && Date.now() < until) await runTurn(work, 4, { seconds: 0.1 });
    const beside: number[] = [];
    while (!isSwept() && Date.now() < until)
      for (const ms of (await runTurn(work, 4, { seconds: 0.5 })).latencyMs) beside.push(ms);
    assert.ok(isSwept(), 'the sweep did not end in time');
    return figure(
      {
        benchmark,
        subject: 'upload beside the sweep of 100,000, 99th percentile',
        unit: 'ms',
        against: 'no sweep',
        of: 'p99',
      },
      beside,
      alone.latencyMs,
    );
  } finally {
    wires.close();
    database.close();
    await service.stop();
  }
}
