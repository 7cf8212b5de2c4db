// Storage, browser and machine as the owner sees them.
import { memory } from '#browser/process/memory.ts';
import type { Browser } from '#browser/browser.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import { diskSpace, type DiskSpace } from '#storage/disk-space.ts';
import type { RenderQueue } from '#renders/render-queue.ts';
import { runChecks } from '#http/health.ts';
import type { Handlers } from '#http/dashboard/serve.ts';

export interface HealthParts {
  database: Database;
  uploadBlobs: Blobs;
  browser: Browser;
  renderQueue: RenderQueue;
  version: string;
  /** Undefined when no data is stored on this machine. */
  dataDir: string | undefined;
}

export function healthHandlers(parts: HealthParts): Pick<Handlers, 'GET /admin/health'> {
  const { database, browser, renderQueue, version, dataDir } = parts;
  return {
    async 'GET /admin/health'() {
      const checks = await runChecks(parts);
      const uploads = await database.tables.uploads.totals();
      const renders = await database.tables.renders.totals();
      return {
        checks: checks.map(({ name, error }) => ({
          name,
          state: error === undefined ? 'ok' : 'failing',
          detail: error === undefined ? null : error.message,
        })),
        stored: {
          uploads: uploads.files,
          upload_bytes: uploads.bytes,
          renders: renders.files,
          render_bytes: renders.bytes,
        },
        browser: {
          name: browser.about.name,
          version: browser.about.version,
          source: browser.about.source,
          sandboxed: browser.about.sandboxed,
          installed_at: browser.about.installedAt.toISOString(),
          renewal: browser.about.renewal,
          ...renderQueue.load(),
        },
        version,
        runtime: `Node.js ${process.versions.node}`,
        database: database.engine === 'sqlite' ? 'SQLite' : 'Postgres',
        disk: dataDir === undefined ? null : diskView(await diskSpace(dataDir)),
        memory: {
          used_bytes: process.memoryUsage.rss(),
          machine_free_bytes: memory.leftBytes(),
          machine_total_bytes: memory.totalBytes,
        },
        uptime_seconds: Math.floor(process.uptime()),
      };
    },
  };
}

const diskView = ({ freeBytes, totalBytes }: DiskSpace) => ({
  free_bytes: freeBytes,
  total_bytes: totalBytes,
});
