// Builds the image of deploy/Dockerfile from a clean clone, without a container engine and without an image registry: buildah
// builds, and debootstrap creates the base image under the name that the file uses. npm and apt are configured as on the host.
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '#test/support/processes.ts';

export interface Image {
  /** The image's own settings, as an engine would read them. */
  config: { Env: string[]; Entrypoint: string[]; Cmd: string[]; User: string; WorkingDir: string };
  healthcheck: string[];
  /** In order; the first is the base image. */
  layers: { made: string; sizeBytes: number }[];
  architecture: string;
  commit: string;
  /** The file system of the image, mounted. */
  rootfs: string;
}

const execute = promisify(execFile);
const tools = ['buildah', 'debootstrap', 'crun', 'git', 'npm'];
const name = 'localhost/tintype';

export async function buildImage(folder: string, say: (line: string) => void): Promise<Image> {
  await checkTools();
  const clone = join(folder, 'clone');
  await run('git', ['clone', '--quiet', '--no-local', root, clone]);
  const { stdout: commit } = await run('git', ['-C', clone, 'rev-parse', '--short', 'HEAD']);
  const dockerfile = await readFile(join(clone, 'deploy', 'Dockerfile'), 'utf8');
  const bases = new Set([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base));
  const [base = ''] = bases;
  const suite = /^debian:(\w+)-slim$/.exec(base)?.[1];
  if (bases.size !== 1 || suite === undefined)
    throw new Error(`deploy/Dockerfile must name one Debian base: ${[...bases].join(', ')}`);
  say(`debootstrap ${suite}`);
  await commitBase(folder, suite, `docker.io/library/${base}`);

  say('buildah build');
  await buildah(folder, [
    'build',
    '--isolation=chroot',
    '--pull-never',
    '--layers',
    '--format=docker',
    `--ignorefile=${join(clone, 'deploy', 'Dockerfile.dockerignore')}`,
    `--file=${join(clone, 'deploy', 'Dockerfile')}`,
    `--tag=${name}`,
    clone,
  ]);
  return openImage(folder, commit.trim());
}

/** The image that was built in this folder, mounted. */
export async function openImage(folder: string, commit: string): Promise<Image> {
  const inspected = JSON.parse((await buildah(folder, ['inspect', '--type', 'image', name])).stdout) as {
    Docker: { architecture: string; config: Image['config'] & { Healthcheck: { Test: string[] } } };
    OCIv1: { history: { created_by?: string; empty_layer?: boolean }[] };
  };
  const { config, architecture } = inspected.Docker;
  const container = (await buildah(folder, ['from', '--pull-never', name])).stdout.trim();
  const rootfs = (await buildah(folder, ['mount', container])).stdout.trim();
  return {
    config,
    healthcheck: config.Healthcheck.Test.slice(1),
    layers: await layersOf(folder, inspected.OCIv1.history),
    architecture,
    commit,
    rootfs,
  };
}

/** Whatever state a build has left, nothing stays mounted, so that the folder can be removed. */
export async function removeImages(folder: string): Promise<void> {
  const store = join(folder, 'storage');
  await buildah(folder, ['umount', '--all']).catch(() => undefined);
  await buildah(folder, ['rm', '--all']).catch(() => undefined);
  await run('umount', ['--recursive', join(store, 'overlay')]).catch(() => undefined);
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  if (mounts.includes(` ${store}/`)) throw new Error(`something is still mounted under ${store}`);
}

async function checkTools(): Promise<void> {
  const missing: string[] = [];
  for (const tool of tools) await execute('sh', ['-c', `command -v ${tool}`]).catch(() => missing.push(tool));
  if (missing.length > 0 || process.getuid?.() !== 0)
    throw new Error(
      `the container proof runs as root on Debian or Ubuntu; missing: ${missing.join(', ') || 'root'} ` +
        '(apt-get install buildah debootstrap crun)',
    );
}

/** A Debian of the suite, with what this machine needs to reach its package mirrors. */
async function commitBase(folder: string, suite: string, as: string): Promise<void> {
  const system = join(folder, 'base');
  const mirror = await mirrorOf();
  await run('debootstrap', ['--variant=minbase', suite, system, mirror]);
  const security = mirror.replace(/debian\/?$/, 'debian-security');
  await writeFile(
    join(system, 'etc/apt/sources.list'),
    `deb ${mirror} ${suite} main\ndeb ${mirror} ${suite}-updates main\n` +
      `deb ${security} ${suite}-security main\n`,
  );
  // As in the published image: no documentation, no package lists, no cached packages.
  const kept = [
    'var/cache/apt/archives',
    'var/lib/apt/lists',
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
  ];
  for (const path of kept) await rm(join(system, path), { recursive: true, force: true });
  await mkdir(join(system, 'var/cache/apt/archives/partial'), { recursive: true });
  await mkdir(join(system, 'var/lib/apt/lists/partial'), { recursive: true });
  // As in the published image: a layer is written completely or not at all, so dpkg need not sync.
  await writeFile(join(system, 'etc/dpkg/dpkg.cfg.d/unsafe-io'), 'force-unsafe-io\n');
  const { stdout: settings } = await run('apt-config', ['dump', 'Acquire', '--no-empty']);
  await writeFile(
    join(system, 'etc/apt/apt.conf.d/90host'),
    settings.replace(/^Acquire::(IndexTargets|Changelogs|Languages).*\n/gm, ''),
  );
  const npmOption = async (option: string) =>
    (await run('npm', ['config', 'get', option, '--global'])).stdout.trim();
  const certificates = await npmOption('cafile');
  const lines = [`registry=${await npmOption('registry')}`];
  if (certificates !== 'null') {
    await cp(certificates, join(system, 'etc/host-certificates.crt'));
    lines.push('cafile=/etc/host-certificates.crt');
  }
  await writeFile(join(system, 'root/.npmrc'), `${lines.join('\n')}\n`);

  const container = (await buildah(folder, ['from', 'scratch'])).stdout.trim();
  await buildah(folder, ['add', '--quiet', container, system, '/']);
  await buildah(folder, ['commit', '--quiet', '--rm', container, as]);
}

async function mirrorOf(): Promise<string> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)']);
  const mirror = stdout.split('\n').find((uri) => /\/debian\/?$/.test(uri));
  if (mirror === undefined) throw new Error('apt on this machine names no Debian mirror');
  return mirror;
}

/** Uncompressed sizes; steps that change no file have no layer. */
async function layersOf(
  folder: string,
  history: { created_by?: string; empty_layer?: boolean }[],
): Promise<Image['layers']> {
  const pushed = join(folder, 'pushed');
  await mkdir(pushed);
  await buildah(folder, ['push', '--quiet', '--disable-compression', name, `dir:${pushed}`]);
  const manifest = JSON.parse(await readFile(join(pushed, 'manifest.json'), 'utf8')) as {
    layers: { size: number }[];
  };
  const steps = history.filter(({ empty_layer: isEmpty }) => !isEmpty);
  return manifest.layers.map(({ size }, index) => ({
    made: index === 0 ? 'Debian, made here' : describe(steps[index]?.created_by ?? ''),
    sizeBytes: size,
  }));
}

/** A step in short form: "COPY src", "RUN apt-get install …". */
function describe(step: string): string {
  const words = step.replace(/^\/bin\/sh -c (#\(nop\) )?/, '').replace(/ (dir|file|multi):\w+ in/, ' to');
  return words.length > 60 ? `${words.slice(0, 57)}…` : words;
}

const buildah = (folder: string, args: string[]): Promise<{ stdout: string }> =>
  run('buildah', [
    `--root=${join(folder, 'storage')}`,
    `--runroot=${join(folder, 'run')}`,
    '--storage-driver=overlay',
    ...args,
  ]);

async function run(command: string, args: string[]): Promise<{ stdout: string }> {
  return execute(command, args, { maxBuffer: 64 * 1024 * 1024 });
}
