// npx tintype doctor: checks what the service depends on and advises on each failure.
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { describeBrowser } from '#roof/browser-command.ts';
import { newId } from '#core/ids.ts';
import { readBlob } from '#storage/blobs.ts';
import type { Browser, BrowserAbout } from '#browser/browser.ts';
import { weighsBySession } from '#browser/process/priority.ts';
import { browserUser, reachableCache } from '#browser/process/unprivileged.ts';
import { renewCommand } from '#browser/install/chromium.ts';
import { describeRelease, isOld, oldAfterDays } from '#browser/install/releases.ts';
import { lessOn, readSystem } from '#browser/install/system.ts';
import { readConfig, type Config } from '#roof/config.ts';
import { hasDatabase, openBlobs, openBrowser, openDatabase } from '#roof/engines.ts';

interface Finding {
  check: string;
  ok: boolean;
  found: string;
  /** What to do when the check fails. */
  remedy?: string;
}

export async function runDoctor(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
  const findings = await examine();
  process.stdout.write(values.json ? `${JSON.stringify(findings)}\n` : findings.map(line).join(''));
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function examine(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    return [{ check: 'configuration', ok: false, found: reason(error), remedy: 'see docs/configuration.md' }];
  }
  return [
    { check: 'configuration', ok: true, found: `data in ${config.dataDir}` },
    await examineDatabase(config),
    ...(config.databaseUrl === undefined && hasDatabase(config) ? [await examinePrivacy(config)] : []),
    ...(config.storage || existsSync(config.dataDir) ? [await examineStorage(config)] : []),
    ...(await examineBrowser(config)),
    examineMetrics(config),
  ];
}

/** Not a failure: a proxy or a firewall may hide it. */
const examineMetrics = ({ metricsPort, port }: Config): Finding => ({
  check: 'metrics',
  ok: true,
  found:
    metricsPort === undefined
      ? `/metrics is at port ${port}, for whoever reaches it; METRICS_PORT moves it to loopback`
      : `/metrics is at 127.0.0.1:${metricsPort} alone`,
});

async function examineDatabase(config: Config): Promise<Finding> {
  if (!hasDatabase(config)) {
    const found = `there is none in ${config.dataDir} yet; the first start makes it. Is DATA_DIR right?`;
    return { check: 'database', ok: true, found };
  }
  try {
    const database = await openDatabase(config);
    await database.ping();
    await database.close();
    return {
      check: 'database',
      ok: true,
      found: `${database.engine} responds and its tables are up to date`,
    };
  } catch (error) {
    const remedy =
      'check that DATA_DIR (or DATABASE_URL) is correct, writable and not from a newer version of Tintype';
    return { check: 'database', ok: false, found: reason(error), remedy };
  }
}

/** The database holds the secret that signs sessions. The browser runs as another user and must not be able to read it. */
async function examinePrivacy({ databaseFile }: Config): Promise<Finding> {
  const { mode } = await stat(databaseFile);
  const isPrivate = (mode & 0o077) === 0;
  const found = `${databaseFile} has mode ${(mode & 0o777).toString(8)}`;
  return { check: 'privacy', ok: isPrivate, found, remedy: `run "chmod 600 ${databaseFile}"` };
}

async function examineStorage(config: Config): Promise<Finding> {
  // An ordinary name, so that the sweep of orphans deletes the file if this process is killed.
  const key = newId();
  try {
    const blobs = await openBlobs(config, 'uploads');
    await using spool = blobs.createSpool();
    await spool.write(Buffer.from(key));
    await spool.commit(key);
    const stored = (await readBlob(blobs, key))?.toString();
    await blobs.delete(key);
    if (stored !== key) throw new Error('the file read back differs from the file written');
    return { check: 'storage', ok: true, found: 'a file was written, read and deleted' };
  } catch (error) {
    const remedy =
      'check that DATA_DIR (or STORAGE_URL) is correct and writable, and that the disk is not full';
    return { check: 'storage', ok: false, found: reason(error), remedy };
  }
}

async function examineBrowser(config: Config): Promise<Finding[]> {
  let browser: Browser;
  try {
    browser = await openBrowser(config, pino({ level: 'silent' }), { resultsFolder: tmpdir() });
  } catch (error) {
    return [{ check: 'browser', ok: false, found: reason(error), remedy: readSystem().advice }];
  }
  const { sandboxed, sandboxProblem, blankScripts } = browser.about;
  await browser.close();
  return [
    { check: 'browser', ok: true, found: describeBrowser(browser.about) },
    examineAge(browser.about, Date.now()),
    ...examineDownload(browser.about),
    await examineCache(config),
    ...lessOn(process.platform).map((found) => ({ check: 'platform', ok: true, found })),
    {
      check: 'weight',
      ok: true,
      found: weighsBySession()
        ? 'render workers have half of the service’s weight at the processor, by session'
        : 'render workers have half of the service’s weight at the processor, by niceness: a page with many busy processes gets a share for each',
    },
    // The browser refuses to start when its egress self-test finds a way around the proxy.
    { check: 'egress wall', ok: true, found: 'the self-test found no way around the proxy' },
    {
      check: 'sandbox',
      ok: sandboxed,
      found: sandboxed ? 'on' : `off: ${sandboxProblem}`,
      remedy:
        'allow unprivileged user namespaces, or start the service as root (the browser then runs as nobody)',
    },
    {
      check: 'fonts',
      ok: blankScripts.length === 0,
      found: blankScripts.length === 0 ? 'Latin, CJK and emoji render' : `blank: ${blankScripts.join(', ')}`,
      remedy: 'run "npm run setup", or install fonts for these scripts',
    },
  ];
}

export function examineAge({ version, releasedAt, renewal }: BrowserAbout, now: number): Finding {
  return {
    check: 'browser age',
    ok: !isOld(releasedAt, now),
    found: `${version} was ${describeRelease(releasedAt, now)}; after ${oldAfterDays} days it lacks too many security fixes`,
    remedy:
      renewal === renewCommand
        ? `run "${renewCommand}"; if it finds nothing newer, upgrade Tintype (git pull, then npm start)`
        : `${renewal}; or run "${renewCommand}"`,
  };
}

/** Not a failure, because there is nothing to compare it with: the operator decides whether to trust it. */
export const examineDownload = ({ trust }: Pick<BrowserAbout, 'trust'>): Finding[] =>
  trust === undefined ? [] : [{ check: 'download', ok: true, found: trust }];

/** The browser cache: its folder and its size. */
async function examineCache({ cacheDir }: Config): Promise<Finding> {
  const folder = await reachableCache(cacheDir, browserUser());
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  const megabytes = Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1e6);
  return {
    check: 'cache',
    ok: true,
    found: `${folder}, ${megabytes} MB; may be deleted while the service is stopped`,
  };
}

function line({ check, ok, found, remedy }: Finding): string {
  const advice = !ok && remedy !== undefined ? `\n                 → ${remedy}` : '';
  return `${ok ? '✔' : '✖'} ${check.padEnd(14)} ${found}${advice}\n`;
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
