// The product as one process with its own data folder, accounts on any plan, and access to its counters and ledger.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '#core/clock.ts';
import { outputKeys, parseOutputKey } from '#core/ids.ts';
import { createAccounts } from '#accounts/accounts.ts';
import { builtInPlans, createPlans, type Plan } from '#accounts/plans.ts';
import { openSqlite } from '#storage/sqlite.ts';
import { serveUntilReady, temporaryFolder, type ServeProcess } from '#test/support/processes.ts';

/** A plan whose limits only a proof about them reaches. */
export const endless: Plan = {
  ...(builtInPlans.at(-1) as Plan),
  id: 'endless',
  requests_per_minute: 1_000_000,
  uploads_per_month: 1_000_000_000,
  renders_per_month: 1_000_000_000,
};
/** A plan with no units left this month. */
export const spent: Plan = {
  ...endless,
  id: 'spent',
  uploads_per_month: 0,
  renders_per_month: 0,
  overages: false,
};

export interface Product {
  /** The process; a new one after `restart`. */
  readonly serving: ServeProcess;
  readonly port: number;
  readonly path: string;
  newKey(plan: Plan): Promise<string>;
  /** Ends it, if it is still running, and starts another on the same data. */
  restart(environment?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

export async function startProduct({
  path: given,
  environment = {},
  command,
}: { path?: string; environment?: Record<string, string>; command?: string[] } = {}): Promise<Product> {
  const folder = given === undefined ? await temporaryFolder() : { path: given, remove: async () => {} };
  const { path } = folder;
  const plans = [endless, spent];
  const plansFile = join(path, 'plans.json');
  await writeFile(plansFile, JSON.stringify({ plans }));
  const start = (more: Record<string, string> = {}) =>
    serveUntilReady(
      {
        DATA_DIR: path,
        PLANS_FILE: plansFile,
        LOG_LEVEL: 'error',
        BASE_URL: 'http://tintype.test',
        ...environment,
        ...more,
      },
      command,
    );
  // The database is created before the service opens it, so that the first start creates no account.
  await newKey(endless);
  let serving = await start();

  async function newKey(plan: Plan): Promise<string> {
    const database = await openSqlite(join(path, 'tintype.db'));
    try {
      const accounts = createAccounts({ database, plans: createPlans(plans), clock: systemClock });
      const email = `${crypto.randomUUID()}@example.com`;
      await accounts.create(email, { plan: plan.id });
      return (await accounts.createKey(email, 'proof')).key;
    } finally {
      await database.close();
    }
  }

  return {
    get serving() {
      return serving;
    },
    get port() {
      return Number(new URL(serving.origin).port);
    },
    path,
    newKey,
    async restart(more) {
      await serving.end('SIGKILL');
      serving = await start(more);
    },
    async stop() {
      await serving.end('SIGKILL');
      await folder.remove();
    },
  };
}

export interface Books {
  /** Ids, in order. */
  uploads: string[];
  /** Those that succeeded. */
  renders: string[];
  /** The keys of the files that uploads and renders have; renders are taken for hosted. */
  files: string[];
  /** The upload or render that each unit was used for. */
  ledger: string[];
  /** The same, as the rows say. */
  charged: string[];
  counter: number;
  leases: number;
  /** Renders that wait or run. */
  jobs: number;
}

export function readBooks(folder: string): Books {
  const database = new DatabaseSync(join(folder, 'tintype.db'), { readOnly: true, timeout: 5_000 });
  try {
    const rows = (sql: string) => database.prepare(sql).all();
    const column = (sql: string): string[] => rows(sql).map((row) => String(row['id']));
    const uploads = column('select id from uploads').toSorted();
    const made = rows("select id, units, outputs from renders where failure is null and state = 'ended'").map(
      (row) => ({
        id: String(row['id']),
        units: Number(row['units']),
        outputs: Number(row['outputs']),
      }),
    );
    const sources = column('select source_id as id from usage_events');
    return {
      uploads,
      renders: made.map(({ id }) => id).toSorted(),
      files: [...uploads, ...made.flatMap(outputKeys)].toSorted(),
      ledger: sources.map((source) => parseOutputKey(source)?.id ?? source).toSorted(),
      charged: [
        ...uploads,
        ...made.flatMap(({ id, units }) => Array.from({ length: units }, () => id)),
      ].toSorted(),
      counter: Number(rows('select sum(used) as used from usage_counters')[0]?.['used'] ?? 0),
      leases: Number(rows('select count(*) as leases from render_leases')[0]?.['leases']),
      jobs: Number(rows('select count(*) as jobs from render_jobs')[0]?.['jobs']),
    };
  } finally {
    database.close();
  }
}

/** Checks that every row has its units, every unit its row, and that the counters are their sum; lists what does not agree. */
export function disagreement({ charged, ledger, counter }: Books): string | undefined {
  if (charged.join() !== ledger.join())
    return `the rows have ${charged.length} units, the ledger ${ledger.length}`;
  return counter === ledger.length ? undefined : `counter ${counter}, ledger ${ledger.length}`;
}

export interface StoredFile {
  name: string;
  path: string;
}

/** The files of a folder and its subfolders. */
async function filesIn(folder: string): Promise<StoredFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => ({ name, path: join(parentPath, name) }));
}

/** What is on the disk: stored blobs, and pending spools. */
export async function storedIn(path: string, kind: 'uploads' | 'renders' = 'uploads') {
  const folder = join(path, 'blobs', kind);
  return { store: await filesIn(join(folder, 'store')), spool: await filesIn(join(folder, 'spool')) };
}
