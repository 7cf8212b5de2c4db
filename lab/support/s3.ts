// A real S3 protocol server on loopback, for tests: its own process, which ends with the one that started it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#lab/support/processes.ts';

export interface TestS3 {
  /** A value for STORAGE_URL, with an unused prefix in the bucket. */
  newStorageUrl: () => string;
  /** Ends the server as an outage would: connections break at once. */
  pause: () => Promise<void>;
  resume: () => Promise<void>;
  stop: () => Promise<void>;
}

/** The only credentials that the server accepts. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export const bucket = 'tintype-test';

/** The test server or, with `TEST_S3=radosgw`, the Ceph that the machine has installed. */
export async function startS3(): Promise<TestS3> {
  if (process.env['TEST_S3'] !== 'radosgw') return startTestS3();
  const { startRadosgw } = await import('#lab/support/radosgw.ts');
  return startRadosgw();
}

export async function startTestS3(): Promise<TestS3> {
  Object.assign(process.env, s3Credentials);
  const folder = await mkdtemp(join(tmpdir(), 'tintype-s3-'));
  const port = await freePort();
  let server = await run();

  async function run(): Promise<ChildProcess> {
    const script = join(import.meta.dirname, 's3-server.ts');
    // Its continuation tokens use a cipher that is only in OpenSSL's legacy provider.
    const child = spawn(
      process.execPath,
      ['--openssl-legacy-provider', script, String(port), folder, bucket],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.stdout?.once('data', () => resolve());
    child.once('exit', () => reject(new Error('the S3 server did not start')));
    await promise;
    return child;
  }
  async function end(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }

  return {
    newStorageUrl: storageUrls(port),
    pause: end,
    async resume() {
      server = await run();
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function storageUrls(port: number): () => string {
  let prefixes = 0;
  return () => `s3://${bucket}?endpoint=http://127.0.0.1:${port}&prefix=${(prefixes += 1)}/`;
}
