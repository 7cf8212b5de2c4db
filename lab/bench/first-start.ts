// The first start after a clone, by phase, with a warm package cache: from `npm start` to the first 200 of /readyz.
import { execFile, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { figure, type Figure } from '#lab/bench/figures.ts';
import { freePort, root, temporaryFolder } from '#test/support/processes.ts';

const benchmark = 'first start';
const goalSeconds = 60;
const longestMs = 400_000;

/** What setup prints when a phase begins. */
const phases: Record<string, RegExp> = {
  install: /^Installing dependencies/m,
  'dashboard build': /^Building the dashboard/m,
  'clients build': /^Building the clients/m,
  'browser and fonts': /^Looking for a browser/m,
};

export async function benchFirstStart(say: (line: string) => void): Promise<Figure[]> {
  const { path, remove } = await temporaryFolder();
  try {
    await promisify(execFile)('git', ['clone', '--quiet', root, join(path, 'clone')]);
    const marks = await start(join(path, 'clone'));
    const seconds = (marks.at(-1)!.at - marks[0]!.at) / 1_000;
    const described = { benchmark, unit: 's' } as const;
    const whole = figure(
      { ...described, subject: 'first start until ready', against: 'goal', goal: { atMost: 1 } },
      [seconds],
      [goalSeconds],
    );
    const parts = marks.slice(1).map(({ at, name }, index) => {
      const took = (at - marks[index]!.at) / 1_000;
      say(`${marks[index]!.name}: ${took.toFixed(1)} s, then ${name}`);
      return figure(
        { ...described, subject: `of it: ${marks[index]!.name}`, against: 'the whole' },
        [took],
        [seconds],
      );
    });
    return [whole, ...parts];
  } finally {
    await remove();
  }
}

/** When each phase began; the last entry is the moment at which the service was ready. */
async function start(clone: string): Promise<{ name: string; at: number }[]> {
  const port = String(await freePort());
  // The shell's own variables: npm may need a proxy or a certificate.
  const env = { ...process.env, PORT: port };
  const marks = [{ name: 'start of npm', at: performance.now() }];
  const child = spawn('npm', ['start', '--silent'], {
    cwd: clone,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    for (const [name, pattern] of Object.entries(phases))
      if (pattern.test(output) && !marks.some((mark) => mark.name === name))
        marks.push({ name, at: performance.now() });
  });
  try {
    const endsAt = performance.now() + longestMs;
    const isReady = async () =>
      (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200;
    while (!(await isReady())) {
      if (child.exitCode !== null || performance.now() > endsAt) throw new Error(`not ready:\n${output}`);
      await pause(50);
    }
    marks.push({ name: 'ready', at: performance.now() });
    return marks;
  } finally {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid!, 'SIGTERM');
    await exited;
  }
}
