// The slow tail: each kind of request at 70 % of the rate that the machine can serve, while what an operator cannot avoid happens:
// a sweep of expired uploads, a backup, a checkpoint, the replacement of a browser.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atFixedRate, connectionsTo, type Arrival } from '#lab/bench/arrivals.ts';
import { requestBytes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { fillUploads } from '#lab/bench/fill.ts';
import { pictureOf, uploadRequest } from '#lab/bench/forms.ts';
import { runTurn, summarise, type Turn } from '#lab/bench/measure.ts';
import { drawCourses, type Course } from '#lab/bench/over-time.ts';
import { signIn, startMeasuredService, type MeasuredService } from '#lab/bench/service.ts';
import { startSite, type Site } from '#lab/bench/site.ts';
import { dashboardRequestsPerMinute } from '#http/dashboard/contract.ts';
import { figuresFolder } from '#lab/report.ts';
import { temporaryFolder, tintype } from '#test/support/processes.ts';

const benchmark = 'tails';
const share = 0.7;
const seconds = 40;
const uploads = 30_000;
/** Uploads that each sweep frees. */
const swept = 10_000;
const farFuture = Date.UTC(2100);

interface Kind {
  title: string;
  /** How many times the median the 99th and the 99.9th percentile may be. */
  most: number;
  /** Requests per second that can be served: a number, or how to find out. */
  capacity: number | { lanes: number; turn: Turn };
  send: () => Promise<unknown>;
  events: Event[];
}

interface Event {
  what: string;
  /** Part of the run after which it happens; undefined if it happens by itself. */
  after?: number;
  run?: () => Promise<unknown>;
}

export async function benchTails(say: (line: string) => void): Promise<Figure[]> {
  const site = await startSite();
  const { path, remove } = await temporaryFolder();
  const picture = await pictureOf(10 * 1024);
  let slugs: string[] = [];
  const service = await startMeasuredService(
    { EGRESS_ALLOW: site.host },
    {
      prepare: async ({ dataDir, accountId }) => {
        const filled = { dataDir, accountId, uploads, withBytes: uploads };
        fillUploads({ ...filled, bytes: Buffer.from('x'), expiresAt: farFuture });
        slugs = fillUploads({ ...filled, withBytes: 1_000, bytes: picture });
        // Otherwise they would be written to the disk during the measurement.
        await promisify(execFile)('sync');
      },
    },
  );
  try {
    const courses: Course[] = [];
    const figures: Figure[] = [];
    for (const kind of await kindsOf({ service, site, slugs, picture, backups: path })) {
      const perSecond = await capacityOf(kind);
      const rate = share * perSecond;
      say(`${kind.title}: ${rate.toFixed(1)} of ${perSecond.toFixed(1)} a second`);
      const marks: Course['marks'] = [];
      const [arrivals] = await Promise.all([
        atFixedRate(kind.send, rate, seconds),
        happen(kind.events, marks, say),
      ]);
      courses.push({ title: `${kind.title}, ${rate.toFixed(0)} a second`, arrivals, marks });
      figures.push(...figuresOf(kind, arrivals));
    }
    writeFileSync(join(figuresFolder, 'charts', 'tails-over-time.svg'), drawCourses(courses));
    return figures;
  } finally {
    await service.stop();
    site.close();
    await remove();
  }
}

async function capacityOf({ capacity, send }: Kind): Promise<number> {
  if (typeof capacity === 'number') return capacity;
  return (await runTurn(send, capacity.lanes, capacity.turn)).perSecond;
}

interface Setting {
  service: MeasuredService;
  site: Site;
  slugs: string[];
  picture: Buffer;
  backups: string;
}

async function kindsOf({ service, site, slugs, picture, backups }: Setting): Promise<Kind[]> {
  const { origin, key, dataDir } = service;
  const upload = uploadRequest('/api/v1/upload', key, [picture]);
  const files = slugs.map((slug) => requestBytes('GET', `/f/${slug}`));
  const cookie = await signIn(service);
  const list = requestBytes('GET', '/api/dashboard/uploads?limit=40', { cookie });
  const shot = requestBytes(
    'POST',
    '/api/v1/screenshot',
    { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    Buffer.from(JSON.stringify({ url: site.urlOf('trivial') })),
  );
  const created = connectionsTo(origin, 201);
  const ok = connectionsTo(origin, 200);
  let next = 0;
  const busy: Event[] = [
    { what: 'sweep', after: 0.2, run: () => expire(service) },
    {
      what: 'backup',
      after: 0.5,
      run: () => tintype(['backup', backups], { DATA_DIR: dataDir, PLANS_FILE: service.plansFile }),
    },
    { what: 'checkpoint', after: 0.8, run: () => checkpoint(dataDir) },
  ];
  const capacity = { lanes: 16, turn: { seconds: 5 } };
  return [
    { title: 'uploads of 10 KB', most: 3, capacity, send: () => created.send(upload), events: busy },
    {
      title: 'files of 10 KB',
      most: 3,
      capacity,
      send: () => ok.send(files[(next += 1) % files.length]!),
      events: busy,
    },
    {
      title: 'list in the dashboard',
      most: 3,
      // What one account may ask.
      capacity: dashboardRequestsPerMinute / 60,
      send: () => ok.send(list),
      events: busy,
    },
    {
      title: 'screenshots of a trivial page',
      most: 2,
      // A browser is replaced after 500 renders, which so happens within the run.
      capacity: { lanes: 4, turn: { pieces: 400 } },
      send: () => ok.send(shot),
      events: [],
    },
  ];
}

async function happen(events: Event[], marks: Course['marks'], say: (line: string) => void): Promise<void> {
  const startedAt = performance.now();
  for (const { what, after = 0, run } of events) {
    const waitMs = Math.max(0, startedAt + after * seconds * 1_000 - performance.now());
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const at = (performance.now() - startedAt) / 1_000;
    marks.push({ at, what });
    await run?.();
    say(`${what} at ${at.toFixed(1)} s, for ${((performance.now() - startedAt) / 1_000 - at).toFixed(1)} s`);
  }
}

/** Uploads expire in small steps, as in life; the sweep looks every 15 seconds. */
const expire = ({ dataDir }: MeasuredService) =>
  inChild(`
    import { DatabaseSync } from 'node:sqlite';
    import { setTimeout as pause } from 'node:timers/promises';
    const database = new DatabaseSync(${JSON.stringify(join(dataDir, 'tintype.db'))}, { timeout: 5_000 });
    const some = database.prepare(
      'update uploads set expires_at = 1 where id in (select id from uploads where expires_at = ${farFuture} limit 500)');
    for (let done = 0; done < ${swept}; done += 500) {
      some.run();
      await pause(20);
    }`);

const checkpoint = (dataDir: string) =>
  inChild(`
    import { DatabaseSync } from 'node:sqlite';
    new DatabaseSync(${JSON.stringify(join(dataDir, 'tintype.db'))}).exec('pragma wal_checkpoint(truncate)');`);

/** Not in this process, whose clock must not stand still. */
const inChild = (script: string) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: figuresFolder });

function figuresOf({ title, most }: Kind, arrivals: Arrival[]): Figure[] {
  const times = arrivals.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const { median, p99 } = summarise(times);
  const p999 = times[Math.floor(times.length * 0.999)] ?? Number.NaN;
  const described = { benchmark, unit: 'ms', against: 'median', goal: { atMost: most } } as const;
  return [
    figure({ ...described, subject: `${title}, 99th percentile` }, [p99], [median]),
    figure({ ...described, subject: `${title}, 99.9th percentile` }, [p999], [median]),
  ];
}
