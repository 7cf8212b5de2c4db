// The process that is interrupted: it runs every code path with a failure, and with a disconnecting client, at each call that the
// path makes, then collects garbage. A descriptor without an owner ends a Node process at that moment, so such events are
// counted. Prints its findings as one line of JSON. Run with --expose-gc.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createInterruptions } from '#lab/prove/leaks/interruptions.ts';
import { setStage, type Scenario, type Stage } from '#lab/prove/leaks/scenarios.ts';
import type { Finding } from '#lab/prove/proof.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { descendants, openDescriptors } from '#test/support/process-table.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { endless, spent } from '#test/support/product.ts';
import { startService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Of a path that makes more calls, as a backup of many files does, this many are interrupted, spread evenly. */
const mostCalls = 40;

const fatal: string[] = [];
process.on('uncaughtException', (error) => fatal.push(`${current}: ${error.message}`));
process.on('unhandledRejection', (error) => fatal.push(`${current}: ${String(error)}`));
process.on('warning', ({ message }) => {
  if (/FileHandle|descriptor|MaxListeners|memory leak/i.test(message)) fatal.push(`${current}: ${message}`);
});
let current = 'start';

const rounds = Number(process.argv[2] ?? 1);
const interruptions = createInterruptions();
const site = await startPageServer({ '/page': pageWithNoise() });
const folder = await temporaryFolder();
const plansFile = join(folder.path, 'plans.json');
await writeFile(plansFile, JSON.stringify({ plans: [endless, spent] }));
const service = await startService(
  {
    DATA_DIR: folder.path,
    PLANS_FILE: plansFile,
    EGRESS_ALLOW: site.host,
    LOG_LEVEL: 'silent',
    // One worker and no spare, which would come and go.
    RENDER_CONCURRENCY: '1',
  },
  0,
  undefined,
  interruptions,
);
let exitCode = 0;
try {
  process.stdout.write(`${JSON.stringify(await prove())}\n`);
} catch (error) {
  // Caught here: the listeners above would count it as one of the failures.
  process.stderr.write(`${current}: ${(error as Error).stack}\n`);
  exitCode = 1;
}
await service.close();
await site.close();
await folder.remove();
process.exit(exitCode);

async function prove(): Promise<Finding[]> {
  const stage = await setStage(service, interruptions, `${site.base}/page`);
  // What is opened once, at the first use, is not a leak.
  for (const { run } of stage.scenarios) await run();
  const before = await atRest();
  let interrupted = 0;
  for (let round = 0; round < rounds; round += 1)
    for (const scenario of stage.scenarios) interrupted += await walk(scenario, stage);
  const after = await atRest(before);
  const works = await Promise.all(
    stage.scenarios
      .filter(({ name }) => name.startsWith('upload'))
      .map(async ({ run }) => ((await run()) as { status: number }).status),
  );
  return [
    {
      what: 'Nothing that was interrupted ends the process, and garbage collection finds no descriptor without an owner',
      seen: `${interrupted.toLocaleString('en')} interruptions on ${stage.scenarios.length} paths; ${fatal.length === 0 ? 'none' : fatal.slice(0, 5).join('; ')}`,
      holds: interrupted > 0 && fatal.length === 0,
    },
    ...(['descriptors', 'spools', 'threads for files', 'browser processes'] as const).map((what) => ({
      what: `As many ${what} afterwards as before`,
      seen: `${before[what]} before, ${after[what]} after`,
      holds: after[what] <= before[what],
    })),
    {
      what: 'The next uploads are stored',
      seen: works.join(', '),
      holds: works.every((status) => status === 201),
    },
  ];
}

/** Interrupts a path at each of its calls, in both ways; returns how often. */
async function walk({ name, run }: Scenario, { leave }: Stage): Promise<number> {
  current = name;
  interruptions.arm(Infinity, () => {});
  await run();
  const calls = interruptions.disarm();
  if (calls.length === 0) throw new Error(`${name} makes no calls`);
  const count = Math.min(calls.length, mostCalls);
  for (let place = 0; place < count; place += 1) {
    const index = Math.floor((place * calls.length) / count);
    const call = calls[index];
    for (const way of ['fails', 'client leaves'] as const) {
      current = `${name}: ${way} at ${call}`;
      interruptions.arm(index + 1, async () => {
        await leave();
        await sleep(5);
      });
      if (way === 'fails')
        interruptions.arm(index + 1, () => {
          throw new Error(`interrupted at ${call}`);
        });
      await run();
      interruptions.disarm();
    }
  }
  await collectGarbage();
  return 2 * count;
}

async function collectGarbage(): Promise<void> {
  for (let count = 0; count < 4; count += 1) {
    globalThis.gc?.();
    await sleep(5);
  }
}

async function held() {
  const spools = await Promise.all(
    ['uploads/spool', 'renders/spool', 'renders/results'].map((name) =>
      readdir(join(service.config.blobsDir, name)),
    ),
  );
  return {
    descriptors: openDescriptors(),
    spools: spools.flat().length,
    'threads for files': await threadsNamed('file-cleaner'),
    'browser processes': descendants().length,
  };
}

/** Closing takes a moment. */
async function atRest(expected?: Awaited<ReturnType<typeof held>>) {
  let [now, same] = [await held(), 0];
  await waitFor(
    'everything to be closed',
    async () => {
      await collectGarbage();
      const next = await held();
      const isSame = JSON.stringify(next) === JSON.stringify(now);
      [now, same] = [next, isSame ? same + 1 : 0];
      if (!expected) return same >= 5;
      return (Object.keys(expected) as (keyof typeof expected)[]).every(
        (what) => next[what] <= expected[what],
      );
    },
    20_000,
  ).catch(() => {});
  return now;
}

async function threadsNamed(name: string): Promise<number> {
  const tasks = await readdir('/proc/self/task');
  const names = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/comm`, 'latin1').catch(() => '')),
  );
  return names.filter((comm) => comm.startsWith(name.slice(0, 15))).length;
}

/** A picture that is larger than the part of a spool in memory. */
function pageWithNoise(): string {
  return `<!doctype html><canvas width=800 height=600></canvas><script>
    const context = document.querySelector('canvas').getContext('2d');
    const picture = context.createImageData(800, 600);
    for (let at = 0; at < picture.data.length; at += 1) picture.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
    context.putImageData(picture, 0, 0);
  </script>`;
}
