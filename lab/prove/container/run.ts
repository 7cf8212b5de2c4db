// Runs an image with the OCI runtime crun as an engine would run the line of docs/self-hosting/docker.md: as the image's user, and confined and
// mounted as that line says. The network is the host's, for loopback.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Image } from '#lab/prove/container/build.ts';
import { readDockerRun } from '#lab/prove/container/docker-run.ts';
import { freePort, root } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';

export interface Container {
  origin: string;
  /** The first process of the container, as seen from the host. */
  pid: number;
  readyAfterMs: number;
  /** The volume, on the host. */
  dataDir: string;
  output(): string;
  /** Runs a command in it; resolves to its exit code. */
  exec(command: string[]): Promise<number>;
  /** Sends the signal that `docker stop` sends, and waits; resolves to the exit code. */
  stop(): Promise<number>;
  remove(): Promise<void>;
}

const execute = promisify(execFile);
/** Sets no limits, so that control groups are not needed; but crun refuses to start if both versions of them are mounted. */
const hideHybridCgroups =
  'both=/sys/fs/cgroup/unified; [ ! -d $both ] || mount -t tmpfs none $both; exec crun --cgroup-manager disabled "$@"';

export async function runImage(
  image: Image,
  folder: string,
  environment: Record<string, string>,
): Promise<Container> {
  const port = await freePort();
  const bundle = join(folder, 'bundle');
  const volume = join(folder, 'volume');
  const user = await userOf(image);
  await mkdir(bundle);
  await mkdir(volume);
  await chown(volume, user.uid, user.gid);
  const origin = `http://127.0.0.1:${port}`;
  const variables = { ...environment, PORT: String(port), BASE_URL: origin };
  await writeFile(
    join(bundle, 'config.json'),
    JSON.stringify(await specOf(image, user, volume, variables), null, 2),
  );
  const id = `tintype-proof-${process.pid}`;
  const crun = (args: string[]): [string, string[]] => [
    'unshare',
    ['--mount', 'sh', '-c', hideHybridCgroups, 'crun', '--root', join(folder, 'crun'), ...args],
  ];
  const startedAt = performance.now();
  const child = spawn(...crun(['run', '--bundle', bundle, id]), { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  await waitFor('the container to be ready', async () => {
    if (child.exitCode !== null) throw new Error(`the container ended: ${output}`);
    const response = await fetch(`${origin}/readyz`).catch(() => undefined);
    return response?.status === 200;
  });
  const readyAfterMs = performance.now() - startedAt;
  const { stdout } = await execute(...crun(['state', id]));
  return {
    origin,
    pid: (JSON.parse(stdout) as { pid: number }).pid,
    readyAfterMs,
    dataDir: volume,
    output: () => output,
    exec: (command) =>
      // As root by default, where an engine takes the user of the image.
      execute(
        ...crun([
          'exec',
          '--user',
          `${user.uid}:${user.gid}`,
          '--cwd',
          image.config.WorkingDir,
          id,
          ...command,
        ]),
      ).then(
        () => 0,
        ({ code, stderr }: { code: number; stderr: string }) => {
          output += stderr;
          return code;
        },
      ),
    async stop() {
      await execute(...crun(['kill', id, 'TERM']));
      const [code] = await exited;
      return code ?? -1;
    },
    async remove() {
      await execute(...crun(['delete', '--force', id])).catch(() => undefined);
      await exited;
    },
  };
}

async function userOf({ config, rootfs }: Image): Promise<{ uid: number; gid: number }> {
  const users = await readFile(join(rootfs, 'etc/passwd'), 'utf8');
  const row = users.split('\n').find((line) => line.startsWith(`${config.User}:`));
  const [, , uid, gid] = row?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`the image has no user "${config.User}"`);
  return { uid: Number(uid), gid: Number(gid) };
}

async function specOf(
  { config, rootfs }: Image,
  user: { uid: number; gid: number },
  volume: string,
  environment: Record<string, string>,
): Promise<object> {
  const line = readDockerRun();
  if (line.hasCapabilities || line.seccompFile === undefined || line.volume === undefined)
    throw new Error(
      'docs/self-hosting/docker.md runs the image with capabilities, or without a system-call filter or a volume',
    );
  const { defaultAction, syscalls } = JSON.parse(await readFile(join(root, line.seccompFile), 'utf8')) as {
    defaultAction: string;
    syscalls: { names: string[]; action: string }[];
  };
  const none: string[] = [];
  const shared = `size=${line.sharedMemory}`;
  return {
    ociVersion: '1.0.2',
    hostname: 'tintype',
    root: { path: rootfs, readonly: line.isReadOnly },
    process: {
      user,
      args: [...config.Entrypoint, ...config.Cmd],
      cwd: config.WorkingDir,
      env: [...config.Env, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)],
      noNewPrivileges: !line.mayGainPrivileges,
      capabilities: {
        bounding: none,
        effective: none,
        inheritable: none,
        permitted: none,
        ambient: none,
      },
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      temporary('/dev', ['nosuid', 'strictatime', 'mode=755', 'size=65536k']),
      temporary('/dev/shm', ['nosuid', 'noexec', 'nodev', 'mode=1777', shared]),
      ...line.temporaryFolders.map((path) => temporary(path, ['nosuid', 'nodev', 'mode=1777', 'size=1g'])),
      { destination: line.volume, type: 'bind', source: volume, options: ['bind', 'rw', 'nosuid', 'nodev'] },
    ],
    linux: {
      namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })),
      seccomp: { defaultAction, syscalls: syscalls.map(({ names, action }) => ({ names, action })) },
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/timer_list', '/proc/sched_debug', '/sys/firmware'],
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
    },
  };
}

const temporary = (destination: string, options: string[]): object => ({
  destination,
  type: 'tmpfs',
  source: 'tmpfs',
  options,
});
