// The service in a separate process, as the operator runs it, with accounts whose plans do not limit the proof: how the proofs of
// rendering send requests and read its counters and log.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccounts } from '#accounts/accounts.ts';
import { builtInPlans, createPlans, type Plan } from '#accounts/plans.ts';
import { systemClock } from '#core/clock.ts';
import { monthOf } from '#metering/quota.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { serveUntilReady, temporaryFolder } from '#test/support/processes.ts';

export interface RenderAnswer {
  status: number;
  /** The error's code, or the type of the picture. */
  code: string;
  /** The error's text; empty for a picture. */
  message: string;
  ms: number;
  headers: Headers;
  bytes: Buffer;
}

export interface Renderer {
  origin: string;
  pid: number;
  accounts: { id: string; key: string; plan: string }[];
  shoot(url: string, options?: ShootOptions): Promise<RenderAnswer>;
  logLines(): Record<string, unknown>[];
  /** Of every account: what it has used, and the sum of its ledger. */
  books(): Promise<{ used: number; ledger: number }[]>;
  stop(): Promise<void>;
}

export interface ShootOptions {
  /** Which of the accounts pays; the first by default. */
  account?: number;
  endpoint?: 'screenshot' | 'pdf';
  body?: object;
  signal?: AbortSignal;
}

/** The business plan without limits: the plan's limits are not what is measured. */
export const endlessPlan: Plan = {
  ...(builtInPlans.at(-1) as Plan),
  id: 'endless',
  requests_per_minute: 1_000_000,
  renders_per_month: 100_000_000,
  concurrent_renders: 10_000,
};

export async function startRenderer({
  allow,
  plans = [endlessPlan],
  environment = {},
}: {
  /** EGRESS_ALLOW: the proof's own sites. */
  allow: string[];
  /** One account is made on each. */
  plans?: Plan[];
  environment?: Record<string, string>;
}): Promise<Renderer> {
  const { path, remove } = await temporaryFolder();
  const plansFile = join(path, 'plans.json');
  const distinct = new Map(plans.map((plan) => [plan.id, plan]));
  await writeFile(plansFile, JSON.stringify({ plans: [...distinct.values()] }));
  const database = await openSqlite(join(path, 'tintype.db'));
  const known = createAccounts({ database, plans: createPlans(plans), clock: systemClock });
  const accounts: Renderer['accounts'] = [];
  for (const [index, { id: plan }] of plans.entries()) {
    const email = `account${index}@example.com`;
    const { id } = await known.create(email, { plan });
    accounts.push({ id, plan, key: (await known.createKey(email, 'proof')).key });
  }
  const serving = await serveUntilReady({
    DATA_DIR: path,
    PLANS_FILE: plansFile,
    EGRESS_ALLOW: allow.join(','),
    ...environment,
  });

  return {
    origin: serving.origin,
    pid: serving.child.pid!,
    accounts,
    shoot: (url, { account = 0, endpoint = 'screenshot', body = {}, signal } = {}) =>
      askForRender(`${serving.origin}/api/v1/${endpoint}`, accounts[account]!.key, { url, ...body }, signal),
    logLines: () =>
      serving
        .stdout()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    books: () =>
      Promise.all(
        accounts.map(async ({ id: accountId }) => {
          const counter = { accountId, unit: 'render', month: monthOf(Date.now()) } as const;
          const { usage } = database.tables;
          const [{ used }, { used: ledger }] = [await usage.read(counter), await usage.sumOfLedger(counter)];
          return { used, ledger };
        }),
      ),
    async stop() {
      await database.close();
      await serving.end();
      await remove();
    },
  };
}

export async function askForRender(
  endpoint: string,
  key: string,
  body: object,
  signal?: AbortSignal,
): Promise<RenderAnswer> {
  const startedAt = performance.now();
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  const { error } = (status === 200 ? {} : JSON.parse(bytes.toString())) as {
    error?: { code: string; message: string };
  };
  return {
    status,
    code: error?.code ?? type,
    message: error?.message ?? '',
    ms: performance.now() - startedAt,
    headers,
    bytes,
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
