// npm run bench -- real-pages FOLDER[:GLOB] ...: pages that nobody here wrote, as the service and two peers capture them, one at a
// time and four at a time, the viewport and the full page.
import { figure, type Figure } from '#lab/bench/figures.ts';
import { alternate, runTurn } from '#lab/bench/measure.ts';
import { startRenderPeer, startService, type Renderer, type Wait } from '#lab/bench/render-contenders.ts';
import { servePages } from '#lab/prove/fidelity/pages.ts';

const benchmark = 'real-pages';
const lanes = 4;
const modes = { viewport: false, 'full page': true };
type Mode = keyof typeof modes;
const goals = { idle: { atLeast: 2 }, load: undefined };

export async function benchRealPages(say: (line: string) => void, folders: string[]): Promise<Figure[]> {
  const served = await servePages(folders);
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
    const urls: string[] = [];
    for (const { name: page, url } of served.pages) {
      const works = contenders.map(({ name, render }) => [name, () => render(url, isFullPage)] as const);
      try {
        const taken = await alternate(Object.fromEntries(works), 1, 0);
        for (const [name, [ms = 0]] of Object.entries(taken)) times.get(name)?.push(ms);
        urls.push(url);
      } catch (error) {
        say(`${page} is left out: ${(error as Error).message}`);
      }
    }
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

const worst = (ratios: number[]): number => ratios.indexOf(Math.max(...ratios));
