// Opens what the service depends on: the database, the blob stores and the browser. Only this file names implementations;
// Postgres and S3 are loaded only when the configuration asks for them.
import { join } from 'node:path';
import type { OnCrashPoint } from '#core/crash-points.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { hasSqlite, openSqlite } from '#storage/sqlite.ts';
import type { Browser, Log } from '#browser/browser.ts';
import type { StartOptions } from '#browser/start-chromium.ts';
import { reservedPlaces } from '#renders/render-queue.ts';
import type { Config } from '#roof/config.ts';

export async function openBrowser(
  config: Config,
  log: Log,
  given: { resultsFolder?: string } = {},
): Promise<Browser> {
  const { createChromiumBrowser } = await import('#browser/chromium-browser.ts');
  return createChromiumBrowser({
    ...(await browserOptions(config, log, given)),
    concurrency: config.renderConcurrency + reservedPlaces(config.renderConcurrency),
    restAfterMs: config.browserRestAfterMs,
  });
}

export async function browserOptions(
  config: Config,
  log: Log,
  { resultsFolder = join(config.blobsDir, 'renders', 'results') } = {},
): Promise<StartOptions> {
  const { defaultFolders } = await import('#browser/install/find-chromium.ts');
  return {
    executable: config.chromiumPath,
    folders: [...config.programFolders, ...defaultFolders],
    cacheFolder: config.cacheDir,
    resultsFolder,
    fetchEnvironment: config.fetchEnvironment,
    log,
  };
}

/** False only for SQLite that was never started. */
export const hasDatabase = ({ databaseUrl, databaseFile }: Config): boolean =>
  databaseUrl !== undefined || hasSqlite(databaseFile);

export async function openDatabase({
  databaseUrl,
  databasePoolSize,
  databaseFile,
}: Config): Promise<Database> {
  if (databaseUrl === undefined) return openSqlite(databaseFile);
  const { openPostgres } = await import('#storage/postgres.ts');
  return openPostgres(databaseUrl, { poolSize: databasePoolSize });
}

export async function openBlobs(
  config: Config,
  kind: 'uploads' | 'renders' | 'jobs',
  reached?: OnCrashPoint,
): Promise<Blobs> {
  const { storage, redirectsToStorage } = config;
  const folder = join(config.blobsDir, kind);
  if (!storage) return createDiskBlobs(folder, reached);
  const { createS3Blobs } = await import('#storage/s3-blobs.ts');
  const { signedUrl, ...blobs } = await createS3Blobs(
    { ...storage, prefix: `${storage.prefix}${kind}/` },
    folder,
  );
  return redirectsToStorage && signedUrl ? { ...blobs, signedUrl } : blobs;
}
