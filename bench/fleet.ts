// Uploads per second on SQLite and disk, and on Postgres and S3 with one process and with two, in one run, and the processor
// time that each upload costs the service, the database and the store. Durable writes are on everywhere. Load, service,
// database and store share the machine, so that the times a processor spends say more than the rates.
import { Agent, request } from 'node:http';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { systemClock } from '#core/clock.ts';
import { createAccounts } from '#accounts/accounts.ts';
import { builtInPlans, createPlans, type Plan } from '#accounts/plans.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { startFleet } from '#test/support/fleet.ts';
import { png } from '#test/support/images.ts';
import { descendants } from '#test/support/process-table.ts';
import { serveUntilReady, temporaryFolder } from '#test/support/processes.ts';

const seconds = 5;
const clients = 16;
const boundary = 'a-boundary-of-the-benchmark';
/** Business with no end: the limits are not what is measured. */
const plan: Plan = {
  ...(builtInPlans.at(-1) as Plan),
  id: 'endless',
  requests_per_minute: 1_000_000,
  uploads_per_month: 1_000_000_000,
};

interface Measured {
  /** Milliseconds of processor time per upload, by part. */
  cpu: Record<Part, number>;
  uploadsPerSecond: number;
  medianMs: number;
  p95Ms: number;
}

const parts = { service: 'tintype.js serve', Postgres: 'postgres', S3: 's3-server.ts' };
type Part = keyof typeof parts;

const body = Buffer.concat([
  Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n` +
      'content-type: image/png\r\n\r\n',
  ),
  await png(640, 480),
  Buffer.from(`\r\n--${boundary}--\r\n`),
]);

export async function benchFleet(): Promise<void> {
  process.stdout.write(
    `Uploads: ${clients} clients, ${seconds} s, ${body.length} bytes; load ${loadavg()[0]?.toFixed(1)} before\n`,
  );
  report('SQLite and disk, 1 process', await measureOneMachine());
  report('Postgres and S3, 1 process', await measureFleet(1));
  report('Postgres and S3, 2 processes', await measureFleet(2));
}

async function measureOneMachine(): Promise<Measured> {
  const { path, remove } = await temporaryFolder();
  const plansFile = join(path, 'plans.json');
  await writeFile(plansFile, JSON.stringify({ plans: [plan] }));
  const database = await openSqlite(join(path, 'tintype.db'));
  const accounts = createAccounts({ database, plans: createPlans([plan]), clock: systemClock });
  await accounts.create('bench@example.com', { plan: plan.id });
  const { key } = await accounts.createKey('bench@example.com', 'bench');
  await database.close();
  const serving = await serveUntilReady({ DATA_DIR: path, PLANS_FILE: plansFile, LOG_LEVEL: 'silent' });
  try {
    return await measure([serving.origin], key);
  } finally {
    await serving.end();
    await remove();
  }
}

async function measureFleet(machines: number): Promise<Measured> {
  const fleet = await startFleet({ machines, plans: [plan], isDurable: true });
  try {
    const { key } = await fleet.newKey(plan.id);
    return await measure(
      fleet.machines.map(({ origin }) => origin),
      key,
    );
  } finally {
    await fleet.stop();
  }
}

async function measure(origins: string[], key: string): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  let endsAt = performance.now() + 1_000;
  let isWarm = false;
  const run = async (origin: string): Promise<void> => {
    while (performance.now() < endsAt) {
      const started = performance.now();
      await upload(origin, key, agent);
      if (isWarm) times.push(performance.now() - started);
    }
  };
  const all = () =>
    Promise.all(Array.from({ length: clients }, (_, n) => run(origins[n % origins.length] ?? '')));
  await all();
  isWarm = true;
  endsAt = performance.now() + seconds * 1_000;
  const started = performance.now();
  const before = cpuMs();
  await all();
  const after = cpuMs();
  const elapsedSeconds = (performance.now() - started) / 1_000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
  const perUpload = (part: Part): number => (after[part] - before[part]) / times.length;
  return {
    uploadsPerSecond: times.length / elapsedSeconds,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    cpu: { service: perUpload('service'), Postgres: perUpload('Postgres'), S3: perUpload('S3') },
  };
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

function upload(origin: string, key: string, agent: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sent = request(
    `${origin}/api/v1/upload`,
    {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': body.length,
      },
    },
    (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 201 ? resolve() : reject(new Error(`answered ${response.statusCode}`)),
      );
    },
  );
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

function report(title: string, { uploadsPerSecond, medianMs, p95Ms, cpu }: Measured): void {
  const costs = Object.entries(cpu).map(([part, ms]) => `${part} ${ms.toFixed(2)}`);
  process.stdout.write(
    `  ${title.padEnd(30)} ${uploadsPerSecond.toFixed(0).padStart(5)} uploads/s, median ${medianMs.toFixed(1)} ms, ` +
      `p95 ${p95Ms.toFixed(1)} ms; processor ms per upload: ${costs.join(', ')}\n`,
  );
}
