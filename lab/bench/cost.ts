// What a render costs in CPU time, which varies less than a rate: all processes of the service and its browser, compared with the
// floor, its browser and its script. COMPARE_WITH=folder also measures the service of another checkout, for before and after.
import { setTimeout as pause } from 'node:timers/promises';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { startFloorProcess } from '#lab/bench/floor-process.ts';
import { inTurn, runTurn, summarise } from '#lab/bench/measure.ts';
import { startService } from '#lab/bench/render-contenders.ts';
import { startSite, type PageName } from '#lab/bench/site.ts';
import { cpuMs, treeCpuMs } from '#test/support/process-table.ts';

const benchmark = 'cost';
const goals = { trivial: { atMost: 1.05 }, article: { atMost: 1.08 } } satisfies Partial<
  Record<PageName, object>
>;
const lanes = 4;
const turns = 7;
const pieces = 24;
const afterMs = 500;

export async function benchCost(say: (line: string) => void): Promise<Figure[]> {
  const site = await startSite();
  const other = process.env['COMPARE_WITH'];
  const contenders: Record<string, Contender> = {
    Tintype: await startService('screenshot', site.host),
    ...(other !== undefined && { before: await startService('screenshot', site.host, other) }),
    floor: await startFloorProcess({ isTold: false }),
    'floor with events and proxy': await startFloorProcess({ isTold: true, proxyTo: site.host }),
  };
  try {
    const figures: Figure[] = [];
    for (const page of ['trivial', 'article'] as const) {
      say(page);
      const { whole, main } = await measure(contenders, site.urlOf(page));
      for (const against of Object.keys(contenders).slice(1)) {
        const goal = against === 'floor' ? { goal: goals[page] } : {};
        const described = { benchmark, unit: 'ms' as const, against };
        figures.push(
          compare({ ...described, subject: `${page}, CPU time of a render`, ...goal }, whole),
          compare({ ...described, subject: `${page}, of it without the browser` }, main),
        );
      }
    }
    return figures;
  } finally {
    for (const { stop } of Object.values(contenders)) await stop();
    site.close();
  }
}

/** The ratio is the median over the rounds: within a round both meet the same load of the machine. */
function compare(described: Parameters<typeof figure>[0], costs: Costs): Figure {
  const [ours, theirs] = [costs['Tintype'] ?? [], costs[described.against] ?? []];
  const ratios = ours.map((ms, round) => ms / (theirs[round] ?? Number.NaN));
  return { ...figure(described, ours, theirs), ratio: summarise(ratios).median };
}

interface Contender {
  pid: number;
  render(url: string): Promise<unknown>;
  stop(): Promise<void> | void;
}

type Costs = Record<string, number[]>;

/** CPU milliseconds of a render, one value for each turn: of all processes, and of the one that drives the browser. */
async function measure(
  contenders: Record<string, Contender>,
  url: string,
): Promise<{ whole: Costs; main: Costs }> {
  const whole: Costs = {};
  const main: Costs = {};
  for (let round = -1; round < turns; round += 1) {
    for (const name of inTurn(contenders, round)) {
      const { pid, render } = contenders[name]!;
      const before = { whole: treeCpuMs(pid), main: cpuMs(pid) };
      await runTurn(() => render(url), lanes, { pieces });
      // Discarding the last pages and opening others in advance is part of the cost.
      await pause(afterMs);
      if (round < 0) continue;
      whole[name] = [...(whole[name] ?? []), (treeCpuMs(pid) - before.whole) / pieces];
      main[name] = [...(main[name] ?? []), (cpuMs(pid) - before.main) / pieces];
    }
  }
  return { whole, main };
}
