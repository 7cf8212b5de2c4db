// The service as an operator runs it, with an account whose limits do not affect the measurement.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '#core/clock.ts';
import type { openSqlite as OpenSqlite } from '#storage/sqlite.ts';
import type { createAccounts as CreateAccounts } from '#accounts/accounts.ts';
import { builtInPlans, type createPlans as CreatePlans, type Plan } from '#accounts/plans.ts';
import { serveUntilReady, temporaryFolder, tintype } from '#test/support/processes.ts';

/** The business plan without limits. */
export const endlessPlan: Plan = {
  ...(builtInPlans.at(-1) as Plan),
  id: 'endless',
  requests_per_minute: 1_000_000,
  uploads_per_month: 1_000_000_000,
  renders_per_month: 1_000_000_000,
  concurrent_renders: 1_000,
};

export interface MeasuredService {
  origin: string;
  pid: number;
  key: string;
  accountId: string;
  dataDir: string;
  plansFile: string;
  stop(): Promise<void>;
}

interface ServiceOptions {
  /** May fill the data folder before the service starts. */
  prepare?: (data: { dataDir: string; accountId: string }) => Promise<void>;
  /** The folder of another version to start. */
  checkout?: string | undefined;
}

/** Of that version: an older one does not open the database of a newer one. */
async function modulesOf(checkout: string) {
  const [sqlite, accounts, plans] = await Promise.all(
    ['storage/sqlite.ts', 'accounts/accounts.ts', 'accounts/plans.ts'].map(
      (file) => import(join(checkout, 'src', file)),
    ),
  );
  return { ...sqlite, ...accounts, ...plans } as {
    openSqlite: typeof OpenSqlite;
    createAccounts: typeof CreateAccounts;
    createPlans: typeof CreatePlans;
  };
}

export async function startMeasuredService(
  environment: Record<string, string> = {},
  { prepare = async () => {}, checkout }: ServiceOptions = {},
): Promise<MeasuredService> {
  const { path: dataDir, remove } = await temporaryFolder();
  const plansFile = join(dataDir, 'plans.json');
  await writeFile(plansFile, JSON.stringify({ plans: [endlessPlan] }));
  const { openSqlite, createAccounts, createPlans } = await modulesOf(
    checkout ?? join(import.meta.dirname, '..', '..'),
  );
  const database = await openSqlite(join(dataDir, 'tintype.db'));
  const accounts = createAccounts({ database, plans: createPlans([endlessPlan]), clock: systemClock });
  const { id: accountId } = await accounts.create('bench@example.com', { plan: endlessPlan.id });
  const { key } = await accounts.createKey('bench@example.com', 'bench');
  await database.close();
  await prepare({ dataDir, accountId });
  const serving = await serveUntilReady(
    { DATA_DIR: dataDir, PLANS_FILE: plansFile, LOG_LEVEL: 'silent', ...environment },
    checkout === undefined ? undefined : [process.execPath, join(checkout, 'bin', 'tintype.js'), 'serve'],
  );
  const kill = () => serving.child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    origin: serving.origin,
    pid: serving.child.pid ?? 0,
    key,
    accountId,
    dataDir,
    plansFile,
    async stop() {
      process.off('exit', kill);
      await serving.end();
      await remove();
    },
  };
}

/** A session cookie, from the operator's link. */
export async function signIn({ origin, dataDir, plansFile }: MeasuredService): Promise<string> {
  const { stdout, stderr } = await tintype(['account', 'link', 'bench@example.com'], {
    DATA_DIR: dataDir,
    PLANS_FILE: plansFile,
  });
  const token = new URL(stdout.trim()).searchParams.get('token');
  assert.ok(token, stderr);
  const response = await fetch(`${origin}/api/dashboard/welcome`, {
    method: 'POST',
    body: JSON.stringify({ token }),
    headers: { 'content-type': 'application/json', origin: origin.replace('127.0.0.1', 'localhost') },
  });
  assert.equal(response.status, 200, await response.text());
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** Megabytes that a process holds in memory now. */
export const memoryMb = (pid: number): number => statusMb(pid, 'VmRSS');

/** The most that it ever held (peak). */
export const peakMemoryMb = (pid: number): number => statusMb(pid, 'VmHWM');

function statusMb(pid: number, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  )?.[1];
  return Number(kilobytes) / 1024;
}
