// nginx on a folder of files, if the machine has it: not a peer that anyone would embed, but a reference for what serving files
// can cost.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from '#lab/bench/peers.ts';
import { freePort } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Undefined if it is not installed. */
export async function startNginx(files: string, home: string): Promise<Peer | undefined> {
  if (spawnSync('nginx', ['-v']).status !== 0) return undefined;
  const port = await freePort();
  mkdirSync(join(home, 'temporary'), { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${home}/temporary;`)
    .join(' ');
  writeFileSync(
    join(home, 'nginx.conf'),
    `daemon off; pid ${home}/nginx.pid; worker_processes auto; ${process.getuid?.() === 0 ? 'user root;' : ''}
    events {}
    http {
      access_log off; sendfile on; tcp_nopush on; default_type image/png; keepalive_requests 1000000; ${temporary}
      server { listen 127.0.0.1:${port}; root ${files}; }
    }`,
  );
  const child = spawn('nginx', ['-c', join(home, 'nginx.conf'), '-e', join(home, 'error.log')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const origin = `http://127.0.0.1:${port}`;
  await waitFor('nginx', async () => (await fetch(origin).catch(() => undefined)) !== undefined);
  return {
    origin,
    pid: child.pid ?? 0,
    async stop() {
      process.off('exit', kill);
      child.kill();
      await gone;
    },
  };
}
