// Uploads on Postgres and S3, with one process and with two, against SQLite and disk, and the processor time that each upload
// costs the service, the database and the store. Durable writes are on everywhere. Load, service, database and store share
// the machine, so that the times a processor spends say more than the rates.
import { readFileSync } from 'node:fs';
import { openLanes } from '#lab/bench/connection.ts';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { pictureOf, uploadRequest } from '#lab/bench/forms.ts';
import { runTurn } from '#lab/bench/measure.ts';
import { endlessPlan, startMeasuredService } from '#lab/bench/service.ts';
import { startFleet } from '#lab/support/fleet.ts';
import { descendants } from '#lab/support/process-table.ts';

const benchmark = 'fleet';
const turns = 5;
const turnSeconds = 3;
const lanes = 16;

const parts = { service: 'tintype.js serve', Postgres: 'postgres', S3: 's3-server.ts' };
type Part = keyof typeof parts;

interface Contender {
  origins: string[];
  key: string;
  perSecond: number[];
  uploads: number;
  cpuMs: Record<Part, number>;
}

export async function benchFleet(say: (line: string) => void): Promise<Figure[]> {
  const one = await startMeasuredService();
  const fleet = await startFleet({ machines: 2, plans: [endlessPlan], isDurable: true });
  try {
    const { key } = await fleet.newKey(endlessPlan.id);
    const origins = fleet.machines.map(({ origin }) => origin);
    const oneMachine = newContender([one.origin], one.key);
    const oneProcess = newContender(origins.slice(0, 1), key);
    const twoProcesses = newContender(origins, key);
    for (let turn = -1; turn < turns; turn += 1)
      for (const contender of [oneMachine, oneProcess, twoProcesses]) await takeTurn(contender, turn >= 0);
    for (const [name, { uploads, cpuMs }] of Object.entries({ oneMachine, oneProcess, twoProcesses })) {
      const costs = Object.entries(cpuMs).map(([part, ms]) => `${part} ${(ms / uploads).toFixed(2)}`);
      say(`${name}: processor ms per upload: ${costs.join(', ')}`);
    }
    return [
      figure(
        {
          benchmark,
          subject: '7 KB on Postgres and S3, one process',
          unit: 'per second',
          against: 'SQLite and disk',
        },
        oneProcess.perSecond,
        oneMachine.perSecond,
      ),
      figure(
        {
          benchmark,
          subject: '7 KB on Postgres and S3, two processes',
          unit: 'per second',
          against: 'one process',
        },
        twoProcesses.perSecond,
        oneProcess.perSecond,
      ),
    ];
  } finally {
    await fleet.stop();
    await one.stop();
  }
}

function newContender(origins: string[], key: string): Contender {
  return { origins, key, perSecond: [], uploads: 0, cpuMs: { service: 0, Postgres: 0, S3: 0 } };
}

async function takeTurn(contender: Contender, isKept: boolean): Promise<void> {
  const request = uploadRequest('/api/v1/upload', contender.key, [await pictureOf(7_000)]);
  const wires = await Promise.all(contender.origins.map((origin) => openLanes(origin, lanes, 201)));
  const before = cpuMs();
  const work = async (lane: number) => wires[lane % wires.length]?.send(lane, request);
  const { perSecond, latencyMs } = await runTurn(work, lanes, { seconds: turnSeconds });
  const after = cpuMs();
  for (const wire of wires) wire.close();
  if (!isKept) return;
  contender.perSecond.push(perSecond);
  contender.uploads += latencyMs.length;
  for (const part of Object.keys(parts) as Part[]) contender.cpuMs[part] += after[part] - before[part];
}

/** What the processes below this one have used so far; the kernel counts in hundredths of a second. */
function cpuMs(): Record<Part, number> {
  const used: Record<Part, number> = { service: 0, Postgres: 0, S3: 0 };
  for (const { pid, command } of descendants()) {
    const part = (Object.keys(parts) as Part[]).find((name) => command.includes(parts[name]));
    if (!part) continue;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    used[part] += (Number(fields[11]) + Number(fields[12])) * 10;
  }
  return used;
}
