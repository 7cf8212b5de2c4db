// Ceph's S3 store on one machine, from the system's packages, for tests: one monitor, one OSD on a file and one radosgw, all on
// loopback. On Debian: apt-get install --no-install-recommends ceph-mon ceph-osd ceph-common radosgw
import { execFile, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort, spawnTied } from '#lab/support/processes.ts';
import { bucket, s3Credentials, storageUrls, type TestS3 } from '#lab/support/s3.ts';
import { waitFor } from '#lab/support/wait-for.ts';

const programs = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin'];
/** The rights of each daemon. The monitor reads them when it is created. */
const keys: Record<string, string[]> = {
  'mon.': ['mon', 'allow *'],
  'client.admin': ['mon', 'allow *', 'osd', 'allow *'],
  'osd.0': ['mon', 'allow profile osd', 'osd', 'allow *'],
  'client.rgw': ['mon', 'allow rw', 'osd', 'allow rwx'],
};

export const hasRadosgw = (): boolean =>
  programs.every((program) => spawnSync('which', [program]).status === 0);

export async function startRadosgw(): Promise<TestS3> {
  Object.assign(process.env, s3Credentials);
  const folder = await mkdtemp(join(tmpdir(), 'tintype-radosgw-'));
  const [monitorPort, port] = [await freePort(), await freePort()];
  const conf = join(folder, 'ceph.conf');
  const keyring = join(folder, 'keyring');
  const [cluster, disk] = [randomUUID(), randomUUID()];
  const monitorAddress = `[v2:127.0.0.1:${monitorPort}]`;
  await mkdir(join(folder, 'mon'));
  await mkdir(join(folder, 'osd'));
  await writeFile(conf, configuration({ folder, keyring, cluster, monitorAddress, port }));

  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(program, args, { timeout: 60_000, env: { ...process.env, CEPH_CONF: conf } });
  const daemons: ChildProcess[] = [];
  const start = (program: string, ...args: string[]): ChildProcess => {
    const daemon = spawnTied('KILL', [program, '-c', conf, ...args, '-f'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    daemons.push(daemon);
    return daemon;
  };
  async function end(daemon: ChildProcess): Promise<void> {
    if (daemon.exitCode !== null || daemon.signalCode !== null) return;
    const exited = once(daemon, 'exit');
    daemon.stdin?.end();
    await exited;
  }
  async function startGateway(): Promise<ChildProcess> {
    const daemon = start('radosgw', '-n', 'client.rgw');
    await waitFor('radosgw to answer', async () => {
      if (daemon.exitCode !== null) throw new Error(`radosgw ended; its log is in ${folder}`);
      return fetch(`http://127.0.0.1:${port}/`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
    return daemon;
  }
  async function stop(): Promise<void> {
    for (const daemon of daemons.toReversed()) await end(daemon);
    await rm(folder, { recursive: true, force: true });
  }

  try {
    await writeFile(keyring, '');
    for (const [name, rights] of Object.entries(keys)) {
      const caps = rights.flatMap((word, index) => (index % 2 === 0 ? ['--cap', word] : [word]));
      await run('ceph-authtool', keyring, '--gen-key', '-n', name, ...caps);
    }
    const map = join(folder, 'monmap');
    await run('monmaptool', '--create', '--fsid', cluster, '--addv', 'a', monitorAddress, map);
    await run('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', keyring);
    start('ceph-mon', '-i', 'a');
    await run('ceph', 'osd', 'new', disk, '0');
    await run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk);
    start('ceph-osd', '-i', '0');
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = s3Credentials;
    const user = [
      '--uid',
      'tintype',
      '--display-name',
      'tintype',
      '--access-key',
      id,
      '--secret-key',
      secret,
    ];
    await run('radosgw-admin', 'user', 'create', ...user);
    let gateway = await startGateway();
    const endpoint = `http://127.0.0.1:${port}`;
    const client = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1' });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    return {
      newStorageUrl: storageUrls(port),
      pause: () => end(gateway),
      async resume() {
        gateway = await startGateway();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Data and logs in one folder, listeners on loopback, one copy of everything, no manager daemon: nothing here needs its statistics. */
function configuration(values: {
  folder: string;
  keyring: string;
  cluster: string;
  monitorAddress: string;
  port: number;
}): string {
  const { folder, keyring, cluster, monitorAddress, port } = values;
  return `[global]
fsid = ${cluster}
mon host = ${monitorAddress}
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr1 = false
run dir = ${folder}
admin socket =
log file = ${folder}/$name.log
crash dir = ${folder}
keyring = ${keyring}
mon data = ${folder}/mon
mon data avail crit = 1
osd data = ${folder}/osd
osd objectstore = bluestore
bluestore block size = 10737418240
osd memory target = 1073741824
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${port}
`;
}
