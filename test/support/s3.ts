// A store for tests: a real S3 protocol server on loopback, in its own process, which ends with the one that started it. Tests that
// need no outage also run on the store of TEST_S3_URL.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '#core/ids.ts';
import { freePort } from '#test/support/processes.ts';

export interface AnyS3 {
  /** A value for STORAGE_URL, with an unused prefix in the bucket. */
  newStorageUrl: () => string;
  stop: () => Promise<void>;
  /** Ends a server that was started here as an outage would: connections break at once. */
  pause?: () => Promise<void>;
  resume?: () => Promise<void>;
}

export interface TestS3 extends Required<AnyS3> {
  /** How many objects have arrived at all. The server cannot list them while others are written. */
  objects: () => Promise<number>;
}

/** The only credentials that the server accepts. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

const bucket = 'tintype-test';

/** The store of TEST_S3_URL, with the credentials of the environment, or else a new test server. */
export async function openS3(): Promise<AnyS3> {
  const { TEST_S3_URL: url } = process.env;
  return url ? { newStorageUrl: () => newStorageUrl(url), stop: async () => {} } : startS3();
}

/** Another prefix in the same bucket. */
function newStorageUrl(storageUrl: string): string {
  const url = new URL(storageUrl);
  url.searchParams.set('prefix', `test_${newId()}/`);
  return url.href;
}

export async function startS3(): Promise<TestS3> {
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
    newStorageUrl: () => newStorageUrl(`s3://${bucket}?endpoint=http://127.0.0.1:${port}`),
    pause: end,
    async resume() {
      server = await run();
    },
    async objects() {
      const files = await readdir(join(folder, bucket), { recursive: true });
      return files.filter((file) => file.endsWith('._S3rver_object')).length;
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
