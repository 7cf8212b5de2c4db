// A service with the plans of the tests, whose renders of a few pages may take four places.
import { startPageServer } from '#test/support/page-server.ts';
import { bearer } from '#test/support/requests.ts';
import { startService } from '#test/support/service.ts';

export type RenderKit = Awaited<ReturnType<typeof startRenders>>;

export async function startRenders(pages: Parameters<typeof startPageServer>[0]) {
  const site = await startPageServer(pages);
  const service = await startService({
    EGRESS_ALLOW: site.host,
    PLANS_FILE: new URL('../fixtures/plans.json', import.meta.url).pathname,
    RENDER_CONCURRENCY: '4',
  });
  return {
    service,
    site,
    shoot: (key: string, path: string, signal?: AbortSignal) =>
      fetch(`${service.origin}/api/v1/screenshot`, {
        method: 'POST',
        body: JSON.stringify({ url: site.base + path, width: 320, height: 320 }),
        headers: { ...bearer(key), 'content-type': 'application/json' },
        ...(signal && { signal }),
      }),
    async stop(): Promise<void> {
      await service.stop();
      await site.close();
    },
  };
}
