// The service where the system allows few open files: pages that hold every connection they get do not take those of clients.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { png } from '#test/support/images.ts';
import { root, serveUntilReady, temporaryFolder } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';

const program = [process.execPath, join(root, 'bin', 'tintype.js'), 'serve'];
const limited = ['sh', '-c', 'ulimit -n 1024; exec "$@"', 'sh', ...program];
const renders = 10;

test(
  'with 1,024 open files, ten pages that hold their connections leave enough for uploads',
  { skip: process.platform !== 'linux' && 'the limit is read from /proc' },
  async () => {
    const folder = await temporaryFolder();
    const servers = await startServers();
    const [{ port }] = servers.map((server) => server.address() as AddressInfo) as [AddressInfo];
    const serving = await serveUntilReady(
      { DATA_DIR: folder.path, EGRESS_ALLOW: '127.0.0.0/8', RENDER_CONCURRENCY: String(renders) },
      limited,
    );
    try {
      await waitFor('the first key', () => /Bearer \S+"/.test(serving.stdout()));
      const [, key = ''] = /Bearer (\S+)"/.exec(serving.stdout()) ?? [];
      const headers = { authorization: `Bearer ${key}` };
      let running = renders;
      const ended = Array.from({ length: renders }, async () => {
        const response = await fetch(`${serving.origin}/api/v1/screenshot`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ url: `http://127.0.1.1:${port}/` }),
        });
        await response.arrayBuffer();
        running -= 1;
      });
      const bytes = await png();
      const failures: string[] = [];
      // Renders end by their own limits.
      while (running > 0) {
        const body = new FormData();
        body.append('file', new Blob([new Uint8Array(bytes)]), 'a.png');
        const response = await fetch(`${serving.origin}/api/v1/upload`, { method: 'POST', headers, body });
        const text = await response.text();
        // Past its request budget, an account is told to wait.
        if (response.status !== 201 && response.status !== 429) failures.push(text);
      }
      await Promise.all(ended);
      assert.deepEqual(failures, []);
      assert.match(serving.stdout(), /at most 384 connections of clients at once/);
    } finally {
      await serving.end();
      for (const server of servers) server.close().closeAllConnections();
      await folder.remove();
    }
  },
);

/** A page on forty addresses that opens as many connections as the browser allows: for pictures and for WebSockets. */
async function startServers(): Promise<Server[]> {
  const addresses = Array.from({ length: 40 }, (_, index) => `127.0.1.${index + 1}`);
  const servers: Server[] = [];
  for (const address of addresses) {
    const server = createServer(({ url, headers }, response) => {
      // No picture ever arrives.
      if (url !== '/') return;
      const port = headers.host?.split(':')[1];
      response.setHeader('content-type', 'text/html').end(`<!doctype html><script>
        for (const address of ${JSON.stringify(addresses)}) {
          new WebSocket(\`ws://\${address}:${port}/\`);
          new Image().src = \`http://\${address}:${port}/picture\`;
        }
      </script><img src="late">`);
    });
    server.on('upgrade', () => {});
    const [first] = servers;
    server.listen(first ? (first.address() as AddressInfo).port : 0, address);
    await once(server, 'listening');
    servers.push(server);
  }
  return servers;
}
