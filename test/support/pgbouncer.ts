// The system's PgBouncer in front of a test's Postgres, in transaction mode: statements of one connection reach the server on
// whichever of a few connections is free.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '#test/support/processes.ts';

/** It refuses to run as root. */
const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
/** Debian installs it in a folder that is not in everyone's PATH. */
const environment = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

export const hasPgbouncer = (): boolean =>
  spawnSync('pgbouncer', ['--version'], { env: environment }).status === 0;

/** `serverConnections` for each database, few enough that clients have to share them. */
export async function startPgbouncer(
  postgresUrl: string,
  { serverConnections = 4 } = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-pgbouncer-'));
  const port = await freePort();
  const server = new URL(postgresUrl);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 1000
`,
  );
  await writeFile(join(folder, 'users'), `"${server.username}" ""\n`);
  if (asUser) await chown(folder, asUser.uid, asUser.gid);
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
    ...asUser,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const log: string[] = [];
  const isUp = new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      log.push(line);
      if (/process up/.test(line)) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PgBouncer did not start:\n${log.join('\n')}`)));
  });
  await isUp;
  server.port = String(port);
  server.searchParams.set('pgbouncer', 'true');
  return {
    url: server.href,
    async stop() {
      process.off('exit', kill);
      kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
