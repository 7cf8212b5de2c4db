// One account attacks everything that it shares with others, one thing at a time, while another account uploads, downloads,
// renders and opens the dashboard. Each attack is measured between two periods without it, in the same run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { builtInPlans, type Plan } from '#accounts/plans.ts';
import { readConfig } from '#roof/config.ts';
import { openAccounts } from '#roof/service.ts';
import type { Attack } from '#lab/prove/neighbours/attack.ts';
import { attacks } from '#lab/prove/neighbours/attacks.ts';
import { kinds, nothingSeen, visit, type Kind, type Seen } from '#lab/prove/neighbours/neighbour.ts';
import { attackerAddress, type Account, type Target } from '#lab/prove/neighbours/target.ts';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import { median, quantile } from '#lab/prove/renderer.ts';
import * as images from '#lab/support/images.ts';
import { startPageServer } from '#lab/support/page-server.ts';
import { rssBytes } from '#lab/support/process-table.ts';
import { serveUntilReady, temporaryFolder } from '#lab/support/processes.ts';
import { uploadOne } from '#lab/support/uploading.ts';

const baseUrl = 'http://tintype.test';
/** Limit for the process of the service, under any attack. The browser's own limit is in docs/reliability.md. */
const mostBytes = 900 * 2 ** 20;
/** Smaller times cannot be distinguished from the noise of a machine with two cores, which the attacker shares. */
const allowance = { median: 15, p99: 60 };
const most = { median: 1.5, p99: 3 };
/** Leaves a busy attacker a tenth of what the service gets. Relative to the proof, which may itself run with a priority. */
const attackerNiceness = 10;
const lowestPriority = 19;
/** Periods with the attack; one without comes before each, and one after the last. */
const stretches: Record<Size, { count: number; eachMs: number }> = {
  short: { count: 1, eachMs: 300 },
  long: { count: 2, eachMs: 3_000 },
};
/** The strongest plan that comes with the product, with a quota that is large enough. */
const plan: Plan = {
  ...(builtInPlans.at(-1) as Plan),
  id: 'neighbour',
  uploads_per_month: 1_000_000_000,
  renders_per_month: 1_000_000_000,
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
  const stage = await startStage([site.host, attackerAddress]);
  try {
    const neighbour = await stage.targetFor('neighbour@example.com', site.base);
    const setting = { neighbour, picture: await images.png(200, 200), size, pid: stage.pid };
    await visit(neighbour, setting.picture, stretches[size].eachMs, nothingSeen());
    const findings: Finding[] = [];
    // A new account for each: after some attacks an account's renders are isolated for a while, which would hide the next attack.
    // All are made before the first attack, because one of them uses up the sign-ins of this address.
    const attackers: Target[] = [];
    for (const index of chosen.keys())
      attackers.push(await stage.targetFor(`attacker-${index}@example.com`, ''));
    for (const [index, attack] of chosen.entries()) {
      const finding = await prove(attack, { ...setting, attacker: attackers[index]! });
      say(`${finding.holds ? '✔' : '✘'} ${finding.what}: ${finding.seen}`);
      findings.push(finding);
    }
    return findings;
  } finally {
    await stage.stop();
    await site.close();
  }
}

async function startStage(allowed: string[]) {
  const { path, remove } = await temporaryFolder();
  const plansFile = join(path, 'plans.json');
  await writeFile(plansFile, JSON.stringify({ plans: [plan] }));
  const environment = { DATA_DIR: path, PLANS_FILE: plansFile, BASE_URL: baseUrl, LOG_LEVEL: 'error' };
  const { accounts, welcomeLink, close } = await openAccounts(readConfig(environment));
  const serving = await serveUntilReady({ ...environment, EGRESS_ALLOW: allowed.join(',') });
  const picture = await largePicture();
  const { origin } = serving;
  return {
    pid: serving.child.pid ?? 0,
    async targetFor(email: string, pages: string): Promise<Target> {
      await accounts.create(email, { plan: plan.id });
      const { key } = await accounts.createKey(email, 'proof');
      const account: Account = { key, cookie: await signIn(origin, await welcomeLink(email)) };
      const { slug, id } = await uploadOne(origin, key, { bytes: picture });
      return { origin, baseUrl, account, big: { slug, id }, pages };
    },
    async stop() {
      await close();
      await serving.end('SIGKILL');
      await remove();
    },
  };
}

async function signIn(origin: string, link: string): Promise<string> {
  const answer = await fetch(`${origin}/api/dashboard/welcome`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ token: new URL(link).searchParams.get('token') }),
  });
  if (!answer.ok) throw new Error(`no session: ${answer.status} ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

/** 9 MB that do not compress, with many pixels to scale down. */
const largePicture = (): Promise<Buffer> =>
  sharp({
    create: {
      width: 2_000,
      height: 1_500,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png({ compressionLevel: 0 })
    .toBuffer();

interface Setting {
  attacker: Target;
  neighbour: Target;
  picture: Buffer;
  size: Size;
  pid: number;
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
  /** The attack took place, nothing of the neighbour failed or starved, and memory is bounded. */
  isSound: boolean;
  isNear: boolean;
}

async function measure(
  attack: Attack,
  { attacker, neighbour, picture, size, pid }: Setting,
): Promise<Measured> {
  const [alone, beside] = [nothingSeen(), nothingSeen()];
  const { count: rounds, eachMs } = stretches[size];
  const visitAlone = async () => {
    if (size === 'long') await visit(neighbour, picture, eachMs / 2, alone);
  };
  let [count, peak] = [0, 0];
  const timer = setInterval(() => (peak = Math.max(peak, rssBytes(pid))), 50);
  await visitAlone();
  for (let round = 0; round < rounds; round += 1) {
    const stop = await begin(attack, attacker);
    await visit(neighbour, picture, eachMs, beside);
    count += await stop();
    if (size === 'long') await delay(1_000);
    await visitAlone();
  }
  clearInterval(timer);
  const failures = [...alone.failures, ...beside.failures];
  const slowest = Math.max(...kinds.flatMap((kind) => beside.times[kind]));
  const times =
    size === 'long'
      ? kinds.map((kind) => summaryOf(kind, alone, beside)).join(', ')
      : `${beside.times.upload.length} rounds, the slowest step ${Math.round(slowest)} ms`;
  return {
    times,
    seen: [
      `${count} times`,
      times,
      `${failures.length} failed${failures.length > 0 ? ` (${failures[0]})` : ''}`,
      `service at most ${Math.round(peak / 2 ** 20)} MiB`,
    ].join('; '),
    isSound: count > 0 && failures.length === 0 && peak < mostBytes,
    isNear: size === 'short' || kinds.every((kind) => isNear(alone.times[kind], beside.times[kind])),
  };
}

/** Resolves once the attack is under way, to a function that ends it and returns how often it ran. */
async function begin({ name }: Attack, target: Target): Promise<() => Promise<number>> {
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
  return async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(timer);
    const [, line = '{}'] = output.split('\n');
    return (JSON.parse(line === '' ? '{}' : line) as { count?: number }).count ?? 0;
  };
}

function isNear(alone: number[], beside: number[]): boolean {
  const [usual, usualWorst] = [median(alone), quantile(alone, 0.99)];
  return (
    median(beside) <= Math.max(usual * most.median, usual + allowance.median) &&
    quantile(beside, 0.99) <= Math.max(usualWorst * most.p99, usualWorst + allowance.p99)
  );
}

function summaryOf(kind: Kind, alone: Seen, beside: Seen): string {
  const [before, during] = [alone.times[kind], beside.times[kind]];
  const figures = [median(before), median(during), quantile(before, 0.99), quantile(during, 0.99)];
  const [m0, m1, p0, p1] = figures.map((ms) => Math.round(ms));
  return `${kind} ${m0} → ${m1} ms (p99 ${p0} → ${p1})`;
}
