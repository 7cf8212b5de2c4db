// Storage and browser as the owner sees them.
import type { Browser } from '#browser/browser.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { RenderQueue } from '#renders/render-queue.ts';
import { runChecks } from '#http/health.ts';
import type { Handlers } from '#http/dashboard/serve.ts';

export interface HealthParts {
  database: Database;
  uploadBlobs: Blobs;
  browser: Browser;
  renderQueue: RenderQueue;
}

export function healthHandlers(parts: HealthParts): Pick<Handlers, 'GET /admin/health'> {
  const { database, browser, renderQueue } = parts;
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
          ...renderQueue.load(),
        },
        uptime_seconds: Math.floor(process.uptime()),
      };
    },
  };
}
