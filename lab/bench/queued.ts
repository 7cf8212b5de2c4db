// What a queued render costs its client beside one that is waited for: the same service, the same page, both hosted, in turns. The
// client of a queued render waits for its end with one request.
import { figure, type Figure } from '#lab/bench/figures.ts';
import { alternate, summarise } from '#lab/bench/measure.ts';
import { startMeasuredService } from '#lab/bench/service.ts';
import { startSite, type PageName } from '#lab/bench/site.ts';
import { bearer } from '#test/support/requests.ts';

const benchmark = 'queued';
const pages: PageName[] = ['trivial', 'article'];
const rounds = 21;
const warmUps = 3;

export async function benchQueued(say: (line: string) => void): Promise<Figure[]> {
  const site = await startSite();
  const service = await startMeasuredService({ EGRESS_ALLOW: site.host });
  const headers = { ...bearer(service.key), 'content-type': 'application/json' };

  async function call(path: string, wanted: string, body?: object): Promise<string> {
    const sent = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${service.origin}/api/v2/renders${path}`, { headers, ...sent });
    const { id, state } = (await response.json()) as { id: string; state: string };
    if (state !== wanted) throw new Error(`${response.status}: ${state}, not ${wanted}`);
    return id;
  }

  try {
    const figures: Figure[] = [];
    for (const page of pages) {
      say(page);
      const url = site.urlOf(page);
      const times = await alternate(
        {
          queued: async () => call(`/${await call('', 'queued', { url, async: true })}?wait=30`, 'succeeded'),
          hosted: () => call('', 'succeeded', { url, response: 'json' }),
        },
        rounds,
        warmUps,
      );
      const ratios = times.queued.map((ms, round) => ms / (times.hosted[round] ?? Number.NaN));
      const described = { benchmark, unit: 'ms' as const, against: 'response json' };
      figures.push({
        ...figure({ ...described, subject: `${page}, from request to result` }, times.queued, times.hosted),
        ratio: summarise(ratios).median,
      });
    }
    return figures;
  } finally {
    await service.stop();
    site.close();
  }
}
