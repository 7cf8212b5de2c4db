// The contract once more, every test of it, on Postgres and S3, and with PgBouncer where the machine has it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { hasPgbouncer, startPgbouncer } from '#test/support/pgbouncer.ts';
import { openServer, startPostgres } from '#test/support/postgres.ts';
import { openS3, type AnyS3 } from '#test/support/s3.ts';
import type { ServiceStores } from '#test/support/stores.ts';

let s3: AnyS3;
before(async () => {
  s3 = await openS3();
});
after(() => s3?.stop());

test('every contract test passes on Postgres and S3', async (context) => {
  const postgres = await openServer();
  try {
    await runContract(await postgres.newDatabase(), context);
  } finally {
    await postgres.stop();
  }
});

test('every contract test passes through PgBouncer in transaction mode', async (context) => {
  if (!hasPgbouncer()) return context.skip('pgbouncer is not installed');
  await using cleanUp = new AsyncDisposableStack();
  const postgres = await startPostgres();
  cleanUp.defer(postgres.stop);
  const bouncer = await startPgbouncer(await postgres.newDatabase());
  cleanUp.defer(bouncer.stop);
  await runContract(bouncer.url, context);
});

async function runContract(databaseUrl: string, { signal }: TestContext): Promise<void> {
  const stores: ServiceStores = {
    TEST_SERVICE_DATABASE_URL: databaseUrl,
    TEST_SERVICE_STORAGE_URL: s3.newStorageUrl(),
  };
  const files = ['test/http/*.test.ts', 'test/http/{api,hosted}/*.test.ts'];
  // A test run inside a test run must not report to the outer one.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const run = spawn(process.execPath, ['--test', '--test-concurrency=2', '--test-reporter=dot', ...files], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { ...environment, ...stores },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const output: Buffer[] = [];
  run.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  run.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const [exitCode] = (await once(run, 'exit')) as [number | null];
  assert.equal(exitCode, 0, Buffer.concat(output).toString());
}
