// One account attacks everything that it shares with others, one thing after the other, while another account uploads, downloads,
// renders and opens the dashboard. Each attack is measured between two stretches without it, in the same run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { builtInPlans, type Plan } from '#accounts/plans.ts';
import { readConfig } from '#roof/config.ts';
import { openAccounts } from '#roof/service.ts';
import type { Attack } from '#lab/prove/neighbours/attack.ts';
import { attacks } from '#lab/prove/neighbours/attacks.ts';
import { kinds, nothingSeen, visit, type Kind, type Seen } from '#lab/prove/neighbours/neighbour.ts';
import { hostileRoutes } from '#lab/prove/neighbours/page-attacks.ts';
import type { Account, Target } from '#lab/prove/neighbours/target.ts';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import { median, quantile } from '#lab/prove/renderer.ts';
import * as images from '#lab/support/images.ts';
import { startPageServer } from '#lab/support/page-server.ts';
import { rssBytes } from '#lab/support/process-table.ts';
import { serveUntilReady, temporaryFolder } from '#lab/support/processes.ts';
import { uploadOne } from '#lab/support/uploading.ts';

const baseUrl = 'http://tintype.test';
/** Of the process of the service, whatever is done to it. The browser's own bound is in docs/reliability.md. */
const mostBytes = 900 * 2 ** 20;
/** Times below these are not told from the noise of a machine with two cores, which the attacker shares. */
const allowance = { median: 15, p99: 60 };
const most = { median: 1.5, p99: 3 };
/** Stretches with and without the attack, in turns. */
const turns: Record<Size, { turns: number; eachMs: number }> = {
  short: { turns: 1, eachMs: 300 },
  long: { turns: 2, eachMs: 3_000 },
};
/** The strongest plan that comes with the product, with a quota that lasts. */
const plan: Plan = {
  ...(builtInPlans.at(-1) as Plan),
  id: 'neighbour',
  uploads_per_month: 1_000_000_000,
  renders_per_month: 1_000_000_000,
};

export const neighboursProof: Proof = {
  name: 'neighbours',
  title: 'Neighbours: what one account does to everything it shares, as another account sees it',
  async run(size, say) {
    const site = await startPageServer({ ...hostileRoutes, '/plain': '<!doctype html><p>plain' });
    const house = await startHouse(site.host);
    try {
      const neighbour = await house.targetFor('neighbour@example.com', site.base);
      const attacker = await house.targetFor('attacker@example.com', site.base);
      const picture = await images.png(200, 200);
      await visit(neighbour, picture, turns[size].eachMs, nothingSeen());
      const findings: Finding[] = [];
      for (const attack of attacks) {
        const finding = await measure(attack, { attacker, neighbour, picture, size, pid: house.pid });
        say(`${finding.holds ? '✔' : '✘'} ${finding.what}: ${finding.seen}`);
        findings.push(finding);
      }
      return findings;
    } finally {
      await house.stop();
      await site.close();
    }
  },
};

async function startHouse(host: string) {
  const { path, remove } = await temporaryFolder();
  const plansFile = join(path, 'plans.json');
  await writeFile(plansFile, JSON.stringify({ plans: [plan] }));
  const environment = { DATA_DIR: path, PLANS_FILE: plansFile, BASE_URL: baseUrl, LOG_LEVEL: 'error' };
  const { accounts, welcomeLink, close } = await openAccounts(readConfig(environment));
  await accounts.create('neighbour@example.com', { plan: plan.id });
  await accounts.create('attacker@example.com', { plan: plan.id });
  const serving = await serveUntilReady({ ...environment, EGRESS_ALLOW: host });
  const { origin } = serving;
  return {
    pid: serving.child.pid ?? 0,
    async targetFor(email: string, pages: string): Promise<Target> {
      const { key } = await accounts.createKey(email, 'proof');
      const account: Account = { key, cookie: await signIn(origin, await welcomeLink(email)) };
      const { slug, id } = await uploadOne(origin, key, { bytes: await largePicture() });
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

/** 9 MB that do not compress, and many pixels to make small. */
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

async function measure(
  attack: Attack,
  { attacker, neighbour, picture, size, pid }: Setting,
): Promise<Finding> {
  const [alone, beside] = [nothingSeen(), nothingSeen()];
  const { turns: rounds, eachMs } = turns[size];
  let [count, peak] = [0, 0];
  const timer = setInterval(() => (peak = Math.max(peak, rssBytes(pid))), 50);
  for (let round = 0; round < rounds; round += 1) {
    if (size === 'long') await visit(neighbour, picture, eachMs, alone);
    const stop = await begin(attack, attacker);
    await visit(neighbour, picture, eachMs, beside);
    count += await stop();
    if (size === 'long') await delay(1_000);
  }
  clearInterval(timer);
  const failures = [...alone.failures, ...beside.failures];
  const isKept = size === 'short' || kinds.every((kind) => isNear(alone.times[kind], beside.times[kind]));
  return {
    what: `${attack.resource}: ${attack.name}`,
    seen: [
      `${count} times`,
      size === 'long'
        ? kinds.map((kind) => told(kind, alone, beside)).join(', ')
        : `${beside.times.upload.length} rounds`,
      `${failures.length} failed${failures.length > 0 ? ` (${failures[0]})` : ''}`,
      `service at most ${Math.round(peak / 2 ** 20)} MiB`,
    ].join('; '),
    holds: count > 0 && failures.length === 0 && peak < mostBytes && isKept,
  };
}

/** Resolves once the attack is under way, to what ends it and tells how often it was made. */
async function begin({ name }: Attack, target: Target): Promise<() => Promise<number>> {
  const script = join(import.meta.dirname, 'neighbours', 'attacker.ts');
  const child = spawn(process.execPath, [script, JSON.stringify({ name, target })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child.stdout, 'data');
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

function told(kind: Kind, alone: Seen, beside: Seen): string {
  const [before, during] = [alone.times[kind], beside.times[kind]];
  const figures = [median(before), median(during), quantile(before, 0.99), quantile(during, 0.99)];
  const [m0, m1, p0, p1] = figures.map((ms) => Math.round(ms));
  return `${kind} ${m0} → ${m1} ms (p99 ${p0} → ${p1})`;
}
