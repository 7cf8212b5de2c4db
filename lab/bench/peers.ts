// What a user would choose instead: each is a small server in lab/bench/peers/ with its own packages, so that neither the service
// nor its tests need them. They are installed once, when a benchmark first needs one.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { descendants } from '#test/support/process-table.ts';

const folder = join(import.meta.dirname, 'peers');

export interface Peer {
  origin: string;
  pid: number;
  stop(): Promise<void>;
}

/** Runs `file` of bench/peers/ in its own process; it prints its port when it is ready. */
export async function startPeer(file: string, ...args: string[]): Promise<Peer> {
  installPeers();
  const child = spawn(process.execPath, [join(folder, file), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  /** Including the browsers that it may have started, which have their own process groups. */
  const kill = () => {
    const pids = [...descendants(child.pid).map(({ pid }) => pid), child.pid ?? 0];
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  };
  process.once('exit', kill);
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const port = await Promise.race([
    new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve)),
    gone.then(() => Promise.reject(new Error(`${file} ended before it was ready`))),
  ]);
  return {
    origin: `http://127.0.0.1:${Number(port)}`,
    pid: child.pid ?? 0,
    async stop() {
      process.off('exit', kill);
      kill();
      await gone;
    },
  };
}

export function installPeers(): void {
  const stamp = join(folder, 'node_modules', '.installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write('Installing the peers (once) …\n');
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm ci in bench/peers failed');
  writeFileSync(stamp, wanted);
}
