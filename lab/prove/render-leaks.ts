// Proof: ten thousand renders leave nothing behind: no process, descriptor, file or context, and no memory after the first tenth;
// and workers are replaced repeatedly without a noticeable effect. `RENDERS=1000 npm run prove -- render-leaks` makes fewer.
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import { endlessPlan, median, quantile, type Renderer, startRenderer } from '#lab/prove/renderer.ts';
import { type PageServer, startPageServer } from '#test/support/page-server.ts';
import {
  browsers,
  descendants,
  listeningPorts,
  openDescriptors,
  scratchFolders,
  workers,
} from '#test/support/process-table.ts';
import { waitFor } from '#test/support/wait-for.ts';

const rendersIn = { short: 60, long: Number(process.env['RENDERS'] ?? 10_000) };
const partsOf = { short: 3, long: 10 };
/** The service's memory rises and falls with garbage collection: each part is sampled several times, and the median counts. */
const restsOf = { short: 1, long: 5 };
const clients = 4;
const mostGrowth = { short: 1.5, long: 1.1 };
const mostTimesSlower = 1.5;
/** From the moment at which a worker is due until its replacement has taken over and it is gone. */
const replacingMs = 4_000;

interface Standing {
  processes: number;
  descriptors: number;
  contexts: number;
  files: number;
  /** Memory of the browser's processes, shared memory counted once, and of the service. */
  megabytes: number;
  /** The service's part of it. */
  serviceMegabytes: number;
}

interface Timing {
  endedAt: number;
  ms: number;
}

export const renderLeaksProof: Proof = {
  name: 'render-leaks',
  title: 'Renders leave nothing behind',
  async run(size, say) {
    const site = await startSite();
    const renderer = await startRenderer({ allow: [site.host], plans: [endlessPlan, endlessPlan] });
    try {
      await startBothWorkers(renderer, site);
      const standings: Standing[] = [];
      const timings: Timing[] = [];
      const parts = partsOf[size];
      for (let part = 1; part <= parts; part += 1) {
        const rests: Standing[] = [];
        for (let rest = 0; rest < restsOf[size]; rest += 1) {
          timings.push(...(await makeRenders(renderer, site, rendersIn[size] / parts / restsOf[size])));
          rests.push(await standingAtRest(renderer));
        }
        standings.push(medianOf(rests));
        say(`${(rendersIn[size] / parts) * part} renders: ${JSON.stringify(standings.at(-1))}`);
      }
      return [...findingsOf(standings, timings, size), ...findingsOnReplacing(renderer, timings)];
    } finally {
      await renderer.stop();
      await site.close();
    }
  },
};

/** Every way for a render to end, in the order in which they are requested. */
const kinds: { path: string; ends: 200 | 502 | 'hang-up'; endpoint?: 'pdf' }[] = [
  { path: '/page', ends: 200 },
  { path: '/picture', ends: 200 },
  { path: '/page', ends: 200 },
  { path: '/moved', ends: 200 },
  { path: '/page', ends: 200 },
  { path: '/nothing', ends: 502 },
  { path: '/page', ends: 200, endpoint: 'pdf' },
  { path: '/storing', ends: 200 },
  { path: '/page', ends: 200 },
  { path: '/away', ends: 502 },
  { path: '/page', ends: 200 },
  { path: '/silent', ends: 'hang-up' },
];

interface Site extends PageServer {
  /** Cancels the next render that waits for the silent page. */
  callOff(caller: AbortController): void;
}

async function startSite(): Promise<Site> {
  const picture = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="99"/></svg>';
  const callers: AbortController[] = [];
  const server = await startPageServer({
    '/page': '<!doctype html><body style="background:#00a000"><p>page',
    '/picture': '<!doctype html><img src="/circle">',
    '/circle': (_, response) => response.setHeader('content-type', 'image/svg+xml').end(picture),
    '/moved': (_, response) => response.writeHead(302, { location: '/page' }).end(),
    '/away': (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    '/nothing': (_, response) => response.writeHead(204).end(),
    '/silent': () => callers.shift()?.abort(),
    '/storing':
      '<!doctype html><p>text<script>localStorage.mark = 1; indexedDB.open("mark"); new Worker(URL.createObjectURL(new Blob([""])))</script>',
  });
  return { ...server, callOff: (caller) => void callers.push(caller) };
}

/** One for the account and a spare, as there are under load, so that the first part is like the others. */
async function startBothWorkers(renderer: Renderer, site: Site): Promise<void> {
  const both = () => [0, 1].map((account) => renderer.shoot(`${site.base}/page`, { account }));
  while (workers(renderer.pid).length < 2) await Promise.all(both());
}

async function makeRenders(renderer: Renderer, site: Site, count: number): Promise<Timing[]> {
  const timings: Timing[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < count) {
        const { path, ends, endpoint = 'screenshot' } = kinds[next % kinds.length]!;
        next += 1;
        const url = site.base + path;
        if (ends === 'hang-up') {
          const caller = new AbortController();
          site.callOff(caller);
          await renderer.shoot(url, { signal: caller.signal }).catch(() => {});
          continue;
        }
        const body = endpoint === 'pdf' ? {} : { width: 640, height: 480 };
        const { status, ms } = await renderer.shoot(url, { endpoint, body });
        if (status !== ends) throw new Error(`${path} was answered ${status}`);
        if (path === '/page' && endpoint === 'screenshot') timings.push({ endedAt: Date.now(), ms });
      }
    }),
  );
  return timings;
}

/** After an idle period: pages are prepared, and processes end, for a moment after each render. */
async function standingAtRest({ pid }: Renderer): Promise<Standing> {
  await waitFor(
    'no worker starts or ends',
    () => workers(pid).length <= 2 && browsers(pid).length === workers(pid).length,
  );
  const samples: Standing[] = [];
  for (let same = 0; same < 5 && samples.length < 40;) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const now = standing(pid);
    same = now.processes === samples.at(-1)?.processes ? same + 1 : 0;
    samples.push(now);
  }
  return medianOf(samples.slice(-5));
}

function medianOf(standings: Standing[]): Standing {
  const keys = Object.keys(standings[0]!) as (keyof Standing)[];
  return Object.fromEntries(
    keys.map((key) => [key, median(standings.map((standing) => standing[key]))]),
  ) as unknown as Standing;
}

function standing(pid: number): Standing {
  const below = descendants(pid);
  const folders = scratchFolders(pid).map((name) => join(tmpdir(), name));
  const serviceBytes = residentBytes(pid);
  const bytes = below.reduce((sum, row) => sum + proportionalBytes(row.pid), serviceBytes);
  return {
    processes: below.length,
    descriptors: openDescriptors(pid),
    // Every context has its own door to the web, and every door listens on a port.
    contexts: listeningPorts(workers(pid).map((worker) => worker.pid)).length,
    files: folders.reduce((sum, folder) => sum + readdirSync(folder, { recursive: true }).length, 0),
    megabytes: Math.round(bytes / 2 ** 20),
    serviceMegabytes: Math.round(serviceBytes / 2 ** 20),
  };
}

function findingsOf(standings: Standing[], timings: Timing[], size: Size): Finding[] {
  const [first, ...later] = standings as [Standing, ...Standing[]];
  const mostOf = (key: keyof Standing) => Math.max(...later.map((standing) => standing[key]));
  const counted = (['processes', 'descriptors', 'contexts', 'files'] as const).map((key) => ({
    key,
    first: first[key],
    most: mostOf(key),
    last: standings.at(-1)![key],
  }));
  const growth = mostOf('megabytes') / first.megabytes;
  return [
    {
      what: `nothing is left over after ${rendersIn[size]} renders: processes, descriptors, contexts, temporary files`,
      seen: counted
        .map(
          ({ key, first: at, most, last }) =>
            `${key} ${at} after the first part, ${most} at most later, ${last} at the end`,
        )
        .join('; '),
      // A spare process of Chromium comes and goes.
      holds: counted.every(
        ({ key, first: at, last }) => last <= at + (key === 'processes' || key === 'files' ? 3 : 2),
      ),
    },
    {
      what: `memory stays within ${mostGrowth[size]} x after the first of ${partsOf[size]} parts`,
      seen: `${standings.map(({ megabytes }) => megabytes).join(', ')} MB after each part (${growth.toFixed(2)} x), the service's part ${first.serviceMegabytes} MB and at the end ${standings.at(-1)!.serviceMegabytes}; ${timings.length} pages at ${Math.round(median(timings.map(({ ms }) => ms)))} ms`,
      holds: growth <= mostGrowth[size],
    },
  ];
}

/** Only a long run lasts until a worker is replaced. */
function findingsOnReplacing(renderer: Renderer, timings: Timing[]): Finding[] {
  const moments = renderer
    .logLines()
    .filter(({ msg }) => msg === 'a render worker is replaced')
    .map(({ time }) => Number(time));
  if (moments.length === 0) return [];
  const isDuring = ({ endedAt, ms }: Timing) =>
    moments.some((at) => endedAt >= at && endedAt - ms <= at + replacingMs);
  const during = timings.filter(isDuring).map(({ ms }) => ms);
  const apart = timings.filter((timing) => !isDuring(timing)).map(({ ms }) => ms);
  const [p99During, p99Apart] = [quantile(during, 0.99), quantile(apart, 0.99)];
  const times = p99During / p99Apart;
  return [
    {
      what: `replacing a worker does not move p99 by more than ${mostTimesSlower} x`,
      seen: `replaced ${moments.length} times; p99 ${Math.round(p99During)} ms of ${during.length} renders then, ${Math.round(p99Apart)} ms of ${apart.length} otherwise (${times.toFixed(2)} x)`,
      holds: times <= mostTimesSlower,
    },
  ];
}

function residentBytes(pid: number): number {
  return kilobytesIn(`/proc/${pid}/status`, 'VmRSS') * 1024;
}

/** Memory shared between processes is divided by their number; if that is not known, all of it counts. */
function proportionalBytes(pid: number): number {
  return kilobytesIn(`/proc/${pid}/smaps_rollup`, 'Pss') * 1024 || residentBytes(pid);
}

function kilobytesIn(file: string, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'latin1'))?.[1] ?? 0);
  } catch {
    // The process has just ended.
    return 0;
  }
}
