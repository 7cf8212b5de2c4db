// GET /metrics on a port of its own, which only this machine reaches (METRICS_PORT).
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Metrics } from '#server/metrics.ts';

const loopback = '127.0.0.1';

export function createMetricsListener(metrics: Pick<Metrics, 'contentType' | 'text'>) {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || !['GET', 'HEAD'].includes(request.method ?? '')) {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return {
    async listen(port: number): Promise<void> {
      server.listen(port, loopback);
      await once(server, 'listening');
    },
    async close(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
