// npm run bench -- real-pages FOLDER[:GLOB] ...: pages that nobody here wrote, as the service and two peers capture them, one at a
// time and four at a time, the viewport and the full page. PAGES_PER_FOLDER=5 takes five pages of each folder, evenly spaced in the
// order of their names. A page on which Tintype seems slower than a peer that waits as well is measured again.
import { figure, type Figure } from '#lab/bench/figures.ts';
import { alternate, runTurn, summarise } from '#lab/bench/measure.ts';
import { startRenderPeer, startService, type Renderer, type Wait } from '#lab/bench/render-contenders.ts';
import { evenlySpaced, servePages, type ServedPages } from '#lab/prove/fidelity/pages.ts';

const benchmark = 'real-pages';
const lanes = 4;
const roundsOfSlowPages = 4;
const modes = { viewport: false, 'full page': true };
type Mode = keyof typeof modes;
const goals = { idle: { atLeast: 2 }, load: undefined };

export async function benchRealPages(say: (line: string) => void, folders: string[]): Promise<Figure[]> {
  const served = await servePages(folders);
  const pages = evenlySpaced(served.pages);
  const ours = await startService('screenshot', served.hosts.join(','));
  const peers = await Promise.all([
    startRenderPeer('playwright', 'screenshot'),
    startRenderPeer('puppeteer-cluster', 'screenshot'),
  ]);
  try {
    const figures: Figure[] = [];
    for (const mode of Object.keys(modes) as Mode[]) figures.push(...(await measure(mode)));
    return figures;
  } finally {
    await Promise.all([ours.stop(), ...peers.map(({ load }) => load.stop())]);
    await served.close();
  }

  async function measure(mode: Mode): Promise<Figure[]> {
    const isFullPage = modes[mode];
    const contenders = [ours, ...peers.flatMap(({ idle, load }) => [idle, load])];
    const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
    const measured: ServedPages['pages'] = [];
    for (const page of pages) {
      const works = contenders.map(({ name, render }) => [name, () => render(page.url, isFullPage)] as const);
      const race = (rounds: number) => alternate(Object.fromEntries(works), rounds, 0);
      try {
        const taken = await race(1);
        if (peers.some(({ idle }) => isSlower(taken, idle.name))) {
          const again = await race(roundsOfSlowPages);
          for (const [name, values] of Object.entries(again)) taken[name]?.push(...values);
        }
        for (const [name, values] of Object.entries(taken)) times.get(name)?.push(summarise(values).median);
        measured.push(page);
        for (const { idle } of peers)
          if (isSlower(taken, idle.name))
            say(
              `${mode}, ${page.name}: ${wordsFor(taken[ours.name])}, ${idle.name} ${wordsFor(taken[idle.name])} ms`,
            );
      } catch (error) {
        say(`${page.name} is left out: ${(error as Error).message}`);
      }
    }
    const urls = measured.map(({ url }) => url);
    say(`${mode}: ${urls.length} pages, one at a time`);
    const rates = new Map<string, number>();
    for (const { name, render } of contenders) {
      let next = 0;
      const work = () => render(urls[next++ % urls.length] ?? '', isFullPage);
      rates.set(name, (await runTurn(work, lanes, { pieces: urls.length })).perSecond);
    }
    return peers.flatMap((peer) =>
      (['idle', 'load'] as const).flatMap((wait) => compare(mode, times, rates, peer[wait], wait)),
    );
  }

  function isSlower(taken: Record<string, number[]>, peer: string): boolean {
    return summarise(taken[ours.name] ?? []).median > summarise(taken[peer] ?? []).median;
  }

  function compare(
    mode: Mode,
    times: Map<string, number[]>,
    rates: Map<string, number>,
    { name: against }: Renderer,
    wait: Wait,
  ): Figure[] {
    const [mine = [], theirs = []] = [times.get(ours.name), times.get(against)];
    const ratios = mine.map((ms, page) => ms / (theirs[page] ?? 0));
    const goal = goals[wait];
    say(
      `${mode}, ${against}: slower on ${ratios.filter((ratio) => ratio > 1).length} of ${ratios.length} pages`,
    );
    return [
      figure({ benchmark, subject: `${mode}, latency`, unit: 'ms', against }, mine, theirs),
      figure(
        { benchmark, subject: `${mode}, throughput`, unit: 'per second', against, ...(goal && { goal }) },
        [rates.get(ours.name) ?? 0],
        [rates.get(against) ?? 0],
      ),
      figure(
        {
          benchmark,
          subject: `${mode}, the page where Tintype is slowest beside it`,
          unit: 'ms',
          against,
          ...(goal && { goal: { atMost: 1 } }),
        },
        [mine[worst(ratios)] ?? 0],
        [theirs[worst(ratios)] ?? 0],
      ),
    ];
  }
}

const wordsFor = (values: number[] = []): string => values.map((ms) => ms.toFixed(0)).join(' ');

const worst = (ratios: number[]): number => ratios.indexOf(Math.max(...ratios));
