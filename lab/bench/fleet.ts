// Uploads on Postgres and S3, with one to four processes, compared with SQLite and disk, and the CPU time that each upload costs
// the service, the database and the store. Durable writes are on everywhere. Load, service, database and store share the machine,
// so scaling shows in the cost of an upload, not in the rates: the cost must not depend on the number of processes.
import { openLanes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { pictureOf, uploadRequest } from '#lab/bench/forms.ts';
import { runTurn, summarise } from '#lab/bench/measure.ts';
import { endlessPlan, startMeasuredService } from '#lab/bench/service.ts';
import { startFleet } from '#test/support/fleet.ts';
import { cpuMs, descendants } from '#test/support/process-table.ts';

const benchmark = 'fleet';
const turns = 4;
const turnSeconds = 3;
const mostProcesses = 4;
const lanes = 16;

const parts = { service: 'tintype.js serve', Postgres: 'postgres', S3: 's3-server.ts' };
type Part = keyof typeof parts;
const partNames = Object.keys(parts) as Part[];

interface Contender {
  name: string;
  origins: string[];
  key: string;
  /** One value for each turn, here and below. */
  perSecond: number[];
  /** CPU milliseconds of an upload. */
  cost: Record<Part, number[]>;
}

export async function benchFleet(say: (line: string) => void): Promise<Figure[]> {
  const one = await startMeasuredService();
  const fleet = await startFleet({ machines: mostProcesses, plans: [endlessPlan], isDurable: true });
  try {
    const { key } = await fleet.newKey(endlessPlan.id);
    const origins = fleet.machines.map(({ origin }) => origin);
    const single = newContender('SQLite and disk', [one.origin], one.key);
    const fleets = origins.map((_, index) =>
      newContender(processes(index + 1), origins.slice(0, index + 1), key),
    );
    for (let turn = -1; turn < turns; turn += 1)
      for (const contender of [single, ...fleets]) await takeTurn(contender, turn >= 0);
    for (const { name, cost } of [single, ...fleets]) {
      const costs = partNames.map((part) => `${part} ${summarise(cost[part]).median.toFixed(2)}`);
      say(`${name}: processor ms per upload: ${costs.join(', ')}`);
    }
    const [first, ...more] = fleets;
    if (!first) throw new Error('there is no fleet');
    return [
      rateFigure(first, single),
      costFigure(first, single),
      ...more.flatMap((contender) => [
        rateFigure(contender, first),
        costFigure(contender, first, { atMost: 1.1 }),
      ]),
    ];
  } finally {
    await fleet.stop();
    await one.stop();
  }
}

const processes = (count: number): string =>
  `${['one process', 'two processes', 'three processes', 'four processes'][count - 1]}`;

function rateFigure(ours: Contender, theirs: Contender): Figure {
  const subject = `7 KB on Postgres and S3, ${ours.name}`;
  const described = { benchmark, subject, unit: 'per second', against: theirs.name } as const;
  return figure(described, ours.perSecond, theirs.perSecond);
}

/** Of the service, the database and the store together. */
function costFigure(ours: Contender, theirs: Contender, goal?: { atMost: number }): Figure {
  const subject = `processor time of an upload, ${ours.name}`;
  const all = ({ perSecond, cost }: Contender): number[] =>
    perSecond.map((_, turn) => partNames.reduce((sum, part) => sum + (cost[part][turn] ?? 0), 0));
  const described = { benchmark, subject, unit: 'ms', against: theirs.name, ...(goal && { goal }) } as const;
  return figure(described, all(ours), all(theirs));
}

function newContender(name: string, origins: string[], key: string): Contender {
  return { name, origins, key, perSecond: [], cost: { service: [], Postgres: [], S3: [] } };
}

async function takeTurn(contender: Contender, isKept: boolean): Promise<void> {
  const request = uploadRequest('/api/v1/upload', contender.key, [await pictureOf(7_000)]);
  const wires = await Promise.all(contender.origins.map((origin) => openLanes(origin, lanes, 201)));
  const before = usedMs();
  const work = async (lane: number) => wires[lane % wires.length]?.send(lane, request);
  const { perSecond, latencyMs } = await runTurn(work, lanes, { seconds: turnSeconds });
  const after = usedMs();
  for (const wire of wires) wire.close();
  if (!isKept) return;
  contender.perSecond.push(perSecond);
  for (const part of partNames) contender.cost[part].push((after[part] - before[part]) / latencyMs.length);
}

/** CPU time that the child processes have used so far. */
function usedMs(): Record<Part, number> {
  const used: Record<Part, number> = { service: 0, Postgres: 0, S3: 0 };
  for (const { pid, command } of descendants()) {
    const part = partNames.find((name) => command.includes(parts[name]));
    if (part) used[part] += cpuMs(pid);
  }
  return used;
}
