// Screenshots: the whole service over HTTP against the floor, page by page, alternately.
import { figure, type Figure } from '#bench/figures.ts';
import { startFloor } from '#bench/floor.ts';
import { alternate, alternateLoad, summarise } from '#bench/measure.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { bearer } from '#test/support/requests.ts';
import { startService } from '#test/support/service.ts';

const rounds = 30;
const warmUps = 4;
const parallel = [1, 2, 4];
const perThroughput = 24;
const pages = { trivial: '/trivial', article: '/article.html', dashboard: '/dashboard.html' };

const benchmark = 'screenshot';

export async function benchScreenshots(say: (line: string) => void): Promise<Figure[]> {
  const site = await startPageServer({ '/trivial': '<!doctype html><h1>Trivial</h1>' });
  const service = await startService({
    EGRESS_ALLOW: site.host,
    RENDER_CONCURRENCY: '4',
    LOG_LEVEL: 'silent',
  });
  const floor = await startFloor();
  const { key } = await service.newKey({ plan: 'business' });
  const throughService = async (url: string): Promise<number> => {
    const response = await fetch(`${service.origin}/api/v1/screenshot`, {
      method: 'POST',
      body: JSON.stringify({ url }),
      headers: { ...bearer(key), 'content-type': 'application/json' },
    });
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.arrayBuffer()).byteLength;
  };

  const figures: Figure[] = [];
  try {
    for (const [name, path] of Object.entries(pages)) {
      say(name);
      const url = site.base + path;
      const contenders = { floor: () => floor.screenshot(url), service: () => throughService(url) };
      const times = await alternate(contenders, rounds, warmUps);
      figures.push(
        figure(
          { benchmark, subject: `${name}, latency`, unit: 'ms', against: 'floor', goal: { atMost: 1.1 } },
          times.service,
          times.floor,
        ),
      );
      const best = { floor: [0], service: [0] };
      for (const lanes of parallel) {
        const turn = { pieces: perThroughput };
        const loads = await alternateLoad(contenders, { lanes, turns: 3, turn });
        for (const contender of ['floor', 'service'] as const)
          if (middle(loads[contender].perSecond) > middle(best[contender]))
            best[contender] = loads[contender].perSecond;
      }
      figures.push(
        figure(
          {
            benchmark,
            subject: `${name}, best throughput`,
            unit: 'per second',
            against: 'floor',
            goal: { atLeast: 0.95 },
          },
          best.service,
          best.floor,
        ),
      );
    }
    return figures;
  } finally {
    floor.close();
    await service.stop();
    await site.close();
  }
}

const middle = (values: number[]): number => summarise(values).median;
