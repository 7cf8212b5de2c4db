// One account attacks everything that it shares with others, one thing at a time, while another account uploads, downloads,
// renders and opens the dashboard. Each attack is measured between two periods without it, in the same run. A neighbour may be as slow as
// next to loops that take nothing but processor time, which every account has to share.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '#lab/prove/neighbours/attack.ts';
import { attacks } from '#lab/prove/neighbours/attacks.ts';
import { kinds, nothingSeen, visit, type Kind, type Seen } from '#lab/prove/neighbours/neighbour.ts';
import { describeSpent, nothingSpent, watchProcessor } from '#lab/prove/neighbours/processor.ts';
import { processorOnly } from '#lab/prove/neighbours/processor-only.ts';
import { startStage, type Stage } from '#lab/prove/neighbours/stage.ts';
import { attackerBlock, type Target } from '#lab/prove/neighbours/target.ts';
import type { Pauses } from '#lab/prove/pauses.ts';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import { median, quantile } from '#lab/prove/renderer.ts';
import * as images from '#test/support/images.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { rssBytes } from '#test/support/process-table.ts';

/** Limits for the process of the service. Uploads and downloads are handled in it, pages and pictures are not. */
const maxMiB = { byPages: 300, byRequests: 900 };
/** Limit for a pause of its event loop in which it does not wait for a core. */
const maxPauseMs = 50;
/** Smaller times cannot be distinguished from the noise of a machine with two cores, which the attacker shares. */
const allowance = { median: 15, p99: 60 };
interface Slowdown {
  median: number;
  p99: number;
}
const max: Slowdown = { median: 1.5, p99: 3 };
/** Leaves a busy attacker a tenth of what the service gets. Relative to the proof, which may itself run with a priority. */
const attackerNiceness = 10;
const lowestPriority = 19;
/** Periods with the attack; one without comes before each, and one after the last. */
const stretches: Record<Size, { count: number; eachMs: number }> = {
  short: { count: 1, eachMs: 300 },
  long: { count: 2, eachMs: 3_000 },
};
export const neighboursProof: Proof = {
  name: 'neighbours',
  title: 'Neighbours: what one account does to everything it shares, as another account sees it',
  run: (size, say) => proveNeighbours(size, say),
};

export async function proveNeighbours(
  size: Size,
  say: (line: string) => void,
  chosen: Attack[] = attacks,
): Promise<Finding[]> {
  const site = await startPageServer({ '/plain': '<!doctype html><p>plain' });
  const stage = await startStage([site.host, attackerBlock]);
  try {
    const neighbour = await stage.targetFor('neighbour@example.com', site.base);
    const setting = { neighbour, picture: await images.png(200, 200), size, stage };
    await visit(neighbour, setting.picture, stretches[size].eachMs, nothingSeen());
    const findings: Finding[] = [];
    const allowed = Object.fromEntries(kinds.map((kind) => [kind, max])) as Record<Kind, Slowdown>;
    if (size === 'long') {
      const loops = await measure(processorOnly, { ...setting, allowed, attacker: neighbour });
      say(`${processorOnly.resource}: ${loops.seen}`);
      for (const kind of kinds) allowed[kind] = worseOf(max, loops.slowdown[kind]);
    }
    // One for all pages, and one for each other attack, which uses up its account's requests of the minute. All are made before the
    // first attack, because one of them uses up the sign-ins of this address.
    const attackers: Target[] = [];
    let byPages: Target | undefined;
    for (const [index, { isByPages }] of chosen.entries()) {
      const create = () => stage.targetFor(`attacker-${index}@example.com`, '');
      attackers.push(isByPages ? (byPages ??= await create()) : await create());
    }
    for (const [index, attack] of chosen.entries()) {
      const finding = await prove(attack, { ...setting, allowed, attacker: attackers[index]! });
      say(`${finding.holds ? '✔' : '✘'} ${finding.what}: ${finding.seen}`);
      findings.push(finding);
    }
    return findings;
  } finally {
    await stage.stop();
    await site.close();
  }
}

interface Setting {
  attacker: Target;
  neighbour: Target;
  picture: Buffer;
  size: Size;
  stage: Stage;
  allowed: Record<Kind, Slowdown>;
}

/** A shared machine may be slow at the wrong moment: what is too slow is measured again, and must be too slow twice. */
async function prove(attack: Attack, setting: Setting): Promise<Finding> {
  const first = await measure(attack, setting);
  const last = first.isSound && !first.isNear ? await measure(attack, setting) : first;
  return {
    what: `${attack.resource}: ${attack.name}`,
    seen: last === first ? first.seen : `${last.seen}; at first ${first.times}`,
    holds: last.isSound && last.isNear,
  };
}

interface Measured {
  seen: string;
  times: string;
  /** The attack took place, nothing of the neighbour failed or starved, memory is bounded, and pages gave the event loop no work. */
  isSound: boolean;
  isNear: boolean;
  slowdown: Record<Kind, Slowdown>;
}

interface Period extends Seen {
  /** One for each stretch. */
  pauses: Pauses[];
}

async function measure(
  attack: Attack,
  { attacker, neighbour, picture, size, stage, allowed }: Setting,
): Promise<Measured> {
  const [alone, beside] = [nothingSeen(), nothingSeen()].map((seen): Period => ({
    ...seen,
    pauses: [],
  })) as [Period, Period];
  const { count: rounds, eachMs } = stretches[size];
  const look = async (forMs: number, period: Period) => {
    await stage.takePauses();
    await visit(neighbour, picture, forMs, period);
    period.pauses.push(await stage.takePauses());
  };
  const lookAlone = async () => {
    if (size === 'long') await look(eachMs / 2, alone);
  };
  const spent = nothingSpent();
  let [count, peak] = [0, 0];
  const timer = setInterval(() => (peak = Math.max(peak, rssBytes(stage.pid))), 50);
  await lookAlone();
  for (let round = 0; round < rounds; round += 1) {
    const { pid, stop } = await begin(attack, attacker);
    const stopWatch = watchProcessor(stage.pid, pid, spent);
    await look(eachMs, beside);
    stopWatch();
    count += await stop();
    if (size === 'long') await delay(1_000);
    await lookAlone();
  }
  clearInterval(timer);
  const limitMiB = attack.isByPages ? maxMiB.byPages : maxMiB.byRequests;
  const failures = [...alone.failures, ...beside.failures];
  const slowest = Math.max(...kinds.flatMap((kind) => beside.times[kind]));
  const times =
    size === 'long'
      ? [...kinds.map((kind) => summaryOf(kind, alone, beside)), summaryOfPauses(alone, beside)].join(', ')
      : `${beside.times.upload.length} rounds, the slowest step ${Math.round(slowest)} ms, work of the event loop at a stretch ${Math.round(longest(beside, 'workMs'))} ms`;
  const slowdown = Object.fromEntries(
    kinds.map((kind) => [kind, slowdownOf(alone.times[kind], beside.times[kind])]),
  ) as Record<Kind, Slowdown>;
  return {
    times: `${times} (${describeSpent(spent)})`,
    seen: [
      `${count} times`,
      times,
      `${failures.length} failed${failures.length > 0 ? ` (${failures[0]})` : ''}`,
      `service at most ${Math.round(peak / 2 ** 20)} MiB`,
      describeSpent(spent),
    ].join('; '),
    isSound:
      count > 0 &&
      failures.length === 0 &&
      peak < limitMiB * 2 ** 20 &&
      (!attack.isByPages || longest(beside, 'workMs') < maxPauseMs),
    isNear:
      size === 'short' ||
      (kinds.every((kind) => isNear(alone.times[kind], slowdown[kind], allowed[kind])) &&
        beside.pauses.every(({ pauseMs, waitedMs }) => pauseMs - waitedMs <= maxPauseMs)),
    slowdown,
  };
}

/** Resolves once the attack is under way; `stop` ends it and returns how often it ran. */
async function begin(
  { name }: Attack,
  target: Target,
): Promise<{ pid: number; stop: () => Promise<number> }> {
  const script = join(import.meta.dirname, 'neighbours', 'attacker.ts');
  const child = spawn(process.execPath, [script, JSON.stringify({ name, target })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child.stdout, 'data');
  // An attacker has a machine of its own, so its work must cost the service little here.
  setPriority(child.pid ?? 0, Math.min(lowestPriority, getPriority() + attackerNiceness));
  await delay(300);
  const stop = async (): Promise<number> => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(timer);
    const [, line = '{}'] = output.split('\n');
    return (JSON.parse(line === '' ? '{}' : line) as { count?: number }).count ?? 0;
  };
  return { pid: child.pid ?? 0, stop };
}

function slowdownOf(alone: number[], beside: number[]): Slowdown {
  return {
    median: median(beside) / median(alone),
    p99: quantile(beside, 0.99) / quantile(alone, 0.99),
  };
}

const worseOf = (one: Slowdown, other: Slowdown): Slowdown => ({
  median: Math.max(one.median, other.median),
  p99: Math.max(one.p99, other.p99),
});

function isNear(alone: number[], { median: times, p99 }: Slowdown, allowed: Slowdown): boolean {
  return (
    times <= Math.max(allowed.median, 1 + allowance.median / median(alone)) &&
    p99 <= Math.max(allowed.p99, 1 + allowance.p99 / quantile(alone, 0.99))
  );
}

function summaryOf(kind: Kind, alone: Seen, beside: Seen): string {
  const [before, during] = [alone.times[kind], beside.times[kind]];
  const figures = [median(before), median(during), quantile(before, 0.99), quantile(during, 0.99)];
  const [m0, m1, p0, p1] = figures.map((ms) => Math.round(ms));
  return `${kind} ${m0} → ${m1} ms (p99 ${p0} → ${p1})`;
}

function summaryOfPauses(alone: Period, beside: Period): string {
  const pauses = [alone, beside].map((period) => Math.round(longest(period, 'pauseMs')));
  const work = [alone, beside].map((period) => Math.round(longest(period, 'workMs')));
  const without = Math.round(Math.max(...beside.pauses.map(({ pauseMs, waitedMs }) => pauseMs - waitedMs)));
  return `pause ${pauses.join(' → ')} ms (${without} without the wait for a core; work ${work.join(' → ')})`;
}

const longest = ({ pauses }: Period, what: 'pauseMs' | 'workMs'): number =>
  Math.max(0, ...pauses.map((pause) => pause[what]));
