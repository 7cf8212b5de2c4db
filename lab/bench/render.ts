// Screenshots and PDFs: the whole service over HTTP compared with the floor and with Playwright, page by page and turn by turn.
import { figure, type Benchmark, type Figure, type Goal } from '#lab/bench/figures.ts';
import { alternate, alternateLoad, summarise, type Work } from '#lab/bench/measure.ts';
import {
  startFloorRenderer,
  startPlaywright,
  startService,
  type Renderer,
} from '#lab/bench/render-contenders.ts';
import { pages, startSite, type PageName, type Site } from '#lab/bench/site.ts';
import type { RenderKind } from '#storage/schema.ts';

const latencyRounds = 11;
const peerRounds = 4;
const warmUps = 2;
const lanesTried = [1, 2, 4, 8];
/** Where each of them is fastest on two cores. */
const peerLanes = [4];
const peerPages: readonly PageName[] = ['trivial', 'article'];
const turns = 3;
const turn = { pieces: 16 };

export const benchScreenshots: Benchmark = async (say) => {
  const site = await startSite();
  try {
    return [...(await againstFloor('screenshot', site, say)), ...(await againstPlaywright(site, say))];
  } finally {
    site.close();
  }
};

/** Both print at the load event: this measures the work, not a wait of half a second for network idle. */
export const benchPdfs: Benchmark = async (say) => {
  const site = await startSite();
  try {
    return await againstFloor('pdf', site, say);
  } finally {
    site.close();
  }
};

async function againstFloor(kind: RenderKind, site: Site, say: (line: string) => void): Promise<Figure[]> {
  const ours = await startService(kind, site.host);
  const floor = await startFloorRenderer(kind);
  const figures: Figure[] = [];
  try {
    for (const page of pages) {
      say(`${page} against the floor`);
      const works = worksOf([ours, floor], site.urlOf(page));
      const times = await alternate(works, latencyRounds, warmUps);
      const latency = of(kind, `${page}, latency`, 'ms', 'floor', { atMost: 1.1 });
      figures.push(figure(latency, times['Tintype'] ?? [], times['floor'] ?? []));
      const rates = await bestRates(works, lanesTried);
      const throughput = of(kind, `${page}, best throughput`, 'per second', 'floor', { atLeast: 0.95 });
      figures.push(figure(throughput, rates('Tintype'), rates('floor')));
    }
    return figures;
  } finally {
    await floor.stop();
    await ours.stop();
  }
}

async function againstPlaywright(site: Site, say: (line: string) => void): Promise<Figure[]> {
  const ours = await startService('screenshot', site.host);
  const { idle, load } = await startPlaywright('screenshot');
  const figures: Figure[] = [];
  try {
    for (const page of pages) {
      say(`${page} against Playwright, one at a time`);
      const times = await alternate(worksOf([ours, idle, load], site.urlOf(page)), peerRounds, 1);
      for (const [peer, goal] of [[idle, { atMost: 0.35 }], [load]] as [Renderer, Goal?][]) {
        const described = of('screenshot', `${page}, latency`, 'ms', peer.name, goal);
        figures.push(figure(described, times['Tintype'] ?? [], times[peer.name] ?? []));
      }
    }
    for (const page of peerPages) {
      say(`${page} against Playwright, many at a time`);
      const rates = await bestRates(worksOf([ours, idle, load], site.urlOf(page)), peerLanes);
      for (const [peer, goal] of [
        [idle, { atLeast: 2 }],
        [load, { atLeast: 1.3 }],
      ] as const) {
        const described = of('screenshot', `${page}, best throughput`, 'per second', peer.name, goal);
        figures.push(figure(described, rates('Tintype'), rates(peer.name)));
      }
    }
    return figures;
  } finally {
    await load.stop();
    await ours.stop();
  }
}

function of(
  kind: RenderKind,
  subject: string,
  unit: Figure['unit'],
  against: string,
  goal: Goal | undefined,
): Pick<Figure, 'benchmark' | 'subject' | 'unit' | 'against' | 'goal'> {
  return { benchmark: kind, subject, unit, against, ...(goal && { goal }) };
}

function worksOf(renderers: Renderer[], url: string): Record<string, Work> {
  return Object.fromEntries(renderers.map(({ name, render }) => [name, () => render(url)]));
}

/** Renders per second of each contender at its best concurrency, one value for each turn. */
async function bestRates(
  works: Record<string, Work>,
  lanesList: number[],
): Promise<(name: string) => number[]> {
  const best = new Map<string, number[]>();
  for (const lanes of lanesList) {
    for (const [name, { perSecond }] of Object.entries(await alternateLoad(works, { lanes, turns, turn }))) {
      const before = summarise(best.get(name) ?? [0]).median;
      if (summarise(perSecond).median > before) best.set(name, perSecond);
    }
  }
  return (name) => best.get(name) ?? [];
}
