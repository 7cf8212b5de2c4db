// What a render of version 2 costs with the options of version 1: the same service, the same page, in turns.
import { figure, type Figure } from '#lab/bench/figures.ts';
import { alternate, inTurn, runTurn, summarise } from '#lab/bench/measure.ts';
import { post } from '#lab/bench/render-contenders.ts';
import { startMeasuredService, type MeasuredService } from '#lab/bench/service.ts';
import { startSite, type PageName } from '#lab/bench/site.ts';
import { treeCpuMs } from '#test/support/process-table.ts';

const benchmark = 'versions';
const goal = { atMost: 1.02 };
const pages: PageName[] = ['trivial', 'article'];
const rounds = 41;
const warmUps = 3;
const turns = 15;
const pieces = 12;
const lanes = 2;

/** What both versions are asked for; the fields that only one of them needs. */
const kinds = {
  screenshot: { path: '/api/v1/screenshot', v1: {}, v2: {} },
  PDF: { path: '/api/v1/pdf', v1: { wait_until: 'load' }, v2: { format: 'pdf', wait_until: 'load' } },
};

export async function benchVersions(say: (line: string) => void): Promise<Figure[]> {
  const site = await startSite();
  const service = await startMeasuredService({ EGRESS_ALLOW: site.host });
  try {
    const figures: Figure[] = [];
    for (const [kind, { path, v1, v2 }] of Object.entries(kinds))
      for (const page of pages) {
        say(`${kind}, ${page}`);
        const url = site.urlOf(page);
        const works = {
          'version 2': () => post(`${service.origin}/api/v2/renders`, { url, ...v2 }, service.key),
          'version 1': () => post(service.origin + path, { url, ...v1 }, service.key),
        };
        const described = { benchmark, unit: 'ms' as const, against: 'version 1', goal };
        const times = await alternate(works, rounds, warmUps);
        const costs = await cpuOf(service, works);
        figures.push(
          paired({ ...described, subject: `${kind}, ${page}, latency` }, times),
          paired({ ...described, subject: `${kind}, ${page}, CPU time of a render` }, costs),
        );
      }
    return figures;
  } finally {
    await service.stop();
    site.close();
  }
}

type Measured = Record<'version 1' | 'version 2', number[]>;

/** The ratio is the median over the rounds: within a round both meet the same load of the machine. */
function paired(described: Parameters<typeof figure>[0], measured: Measured): Figure {
  const [ours, theirs] = [measured['version 2'], measured['version 1']];
  const ratios = ours.map((ms, round) => ms / (theirs[round] ?? Number.NaN));
  return { ...figure(described, ours, theirs), ratio: summarise(ratios).median };
}

/** Of all processes of the service, its browser among them. */
async function cpuOf(
  { pid }: MeasuredService,
  works: Record<keyof Measured, () => Promise<unknown>>,
): Promise<Measured> {
  const costs: Measured = { 'version 1': [], 'version 2': [] };
  for (let round = -1; round < turns; round += 1)
    for (const name of inTurn(works, round)) {
      const before = treeCpuMs(pid);
      await runTurn(works[name], lanes, { pieces });
      if (round >= 0) costs[name].push((treeCpuMs(pid) - before) / pieces);
    }
  return costs;
}
