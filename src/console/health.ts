// Storage, browser and machine as the owner sees them.
import { isOld } from '#browser/install/releases.ts';
import { memory } from '#browser/process/memory.ts';
import { diskSpace, type DiskSpace } from '#storage/disk-space.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';

export function healthHandlers(parts: DashboardParts) {
  const { database, browser, settings, runChecks } = parts;
  return {
    async 'GET /admin/health'() {
      const about = browser.about ?? (await browser.started);
      const checks = await runChecks();
      const uploads = await database.tables.uploads.totals();
      const renders = await database.tables.renders.totals();
      return {
        checks: checks.map(({ name, error }) => ({
          name,
          state: error === undefined ? ('ok' as const) : ('failing' as const),
          detail: error === undefined ? null : error.message,
        })),
        stored: {
          uploads: uploads.files,
          upload_bytes: uploads.bytes,
          renders: renders.files,
          render_bytes: renders.bytes,
        },
        browser: {
          name: about.name,
          version: about.version,
          source: about.source,
          sandboxed: about.sandboxed,
          released_at: about.releasedAt.toISOString(),
          is_old: isOld(about.releasedAt, parts.clock.now()),
          renewal: about.renewal,
          ...parts.renders.renderQueue.load(),
        },
        version: settings.version,
        runtime: `Node.js ${process.versions.node}`,
        database: database.engine === 'sqlite' ? 'SQLite' : 'Postgres',
        disk: settings.dataDir === undefined ? null : diskView(await diskSpace(settings.dataDir)),
        memory: {
          used_bytes: process.memoryUsage.rss(),
          machine_free_bytes: memory.leftBytes(),
          machine_total_bytes: memory.totalBytes,
        },
        uptime_seconds: Math.floor(process.uptime()),
      };
    },
  } satisfies Partial<Handlers>;
}

const diskView = ({ freeBytes, totalBytes }: DiskSpace) => ({
  free_bytes: freeBytes,
  total_bytes: totalBytes,
});
