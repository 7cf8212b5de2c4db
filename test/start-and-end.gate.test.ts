// The process: first start, readiness, signals, and its message when it cannot start. process.gate.test.ts has the ways to start it, and
// cli.test.ts a start before every change.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { UploadResult } from '#api/v1/schemas.ts';
import * as images from '#test/support/images.ts';
import { root, serveUntilReady, spawnServe, temporaryFolder } from '#test/support/processes.ts';
import { endless, startProduct } from '#test/support/product.ts';
import { bearer } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';

const execute = promisify(execFile);

test('a first start shows the owner a key and a working curl command, once; the shutdown is prompt and clean', async () => {
  const { path, remove } = await temporaryFolder();
  const environment = { DATA_DIR: path };
  try {
    const first = await serveUntilReady(environment);
    await waitFor('the block', () => first.stdout().includes('sample.png'));
    const block = first.stdout().slice(first.stdout().indexOf('\n  Tintype is ready'));
    assert.match(block, /owner@tintype\.local \(plan business\)/);
    assert.equal(new Set(block.match(/tt_\w+/g)).size, 1, 'only the API key looks like one');
    const command = block.slice(block.indexOf('curl '), block.indexOf('sample.png') + 'sample.png'.length);
    const { stdout } = await execute('bash', ['-c', command], { cwd: root });
    const upload = JSON.parse(stdout) as UploadResult;
    assert.equal(upload.content_type, 'image/png');
    assert.equal((await fetch(upload.file_url)).status, 200, 'the link works as printed');

    const probe = async (path: string) => (await fetch(first.origin + path)).text();
    assert.deepEqual(JSON.parse(await probe('/healthz')), { status: 'ok' });
    // On a busy machine a part may for once take longer to answer than a probe waits.
    let ready: object = {};
    await waitFor('every part to answer', async () => {
      ready = JSON.parse(await probe('/readyz')) as object;
      return 'status' in ready && ready.status === 'ready';
    });
    assert.deepEqual(ready, { status: 'ready', database: 'ok', storage: 'ok', browser: 'ok' });
    const metrics = await probe('/metrics');
    assert.match(
      metrics,
      /tintype_http_requests_total\{route="\/api\/v1\/upload",kind="upload",method="POST",status="201",code=""\} 1/,
    );
    assert.match(metrics, /tintype_http_request_duration_seconds_bucket/);

    // fetch keeps its connections open; the process must not wait for idle ones.
    const before = Date.now();
    assert.equal((await first.end()).code, 0);
    // oxlint-disable-next-line tests/no-durations -- only the time tells this end from one that waited
    const tookMs = Date.now() - before;
    assert.ok(tookMs < 30_000, `it took ${tookMs} ms to end`);

    // The signal may come as soon as it says that it is ready.
    const second = await serveUntilReady(environment);
    const { stdout: again, code } = await second.end('SIGINT');
    assert.doesNotMatch(again, /API key|tt_/);
    assert.equal(code, 0);
  } finally {
    await remove();
  }
});

test('SIGTERM during an upload: it is finished and answered, then the process ends with 0', async () => {
  const product = await startProduct();
  const key = await product.newKey(endless);
  const { serving, port, path } = product;
  try {
    const form = Buffer.concat([
      Buffer.from('--XX\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
      await images.pngOfSize(500_000),
      Buffer.from('\r\n--XX--\r\n'),
    ]);
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.write(
      `POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer(key)['authorization']}\r\n` +
        `Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: ${form.length}\r\n\r\n`,
    );
    socket.write(form.subarray(0, 300_000));
    const spool = join(path, 'blobs', 'uploads', 'spool');
    await waitFor('the upload to be under way', async () => (await readdir(spool)).length > 0);
    serving.child.kill('SIGTERM');
    await waitFor('the port to close', async () => {
      const knock = connect(port, '127.0.0.1');
      const isOpen = await Promise.race([
        once(knock, 'connect').then(() => true),
        once(knock, 'close').then(() => false),
      ]).catch(() => false);
      knock.destroy();
      return !isOpen;
    });
    socket.write(form.subarray(300_000));
    const { code } = await serving.ended;
    assert.match(answer, /^HTTP\/1\.1 201 /);
    assert.equal(code, 0);
  } finally {
    await product.stop();
  }
});

test('a failed start prints one clear message and exits with a code other than 0', async () => {
  const { path, remove } = await temporaryFolder();
  const occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  const { port } = occupant.address() as { port: number };
  try {
    const starts = await Promise.all([
      spawnServe({ DATA_DIR: path, PORT: String(port), LOG_LEVEL: 'error' }),
      spawnServe({ DATA_DIR: path, PORT: 'x', TRUST_PROXY: 'x' }),
      spawnServe({ DATA_DIR: '/dev/null/data' }),
      spawnServe({ DATA_DIR: path, HOST: '192.0.2.1', PORT: String(port), LOG_LEVEL: 'error' }),
      spawnServe({
        DATA_DIR: path,
        STORAGE_URL: 's3://bucket?endpoint=http://127.0.0.1:1',
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'secret',
      }),
    ]);
    const [busy, wrong, nowhere, elsewhere, storeless] = await Promise.all(starts.map(({ ended }) => ended));
    assert.deepEqual([busy?.code, busy?.stderr], [1, `port ${port} is in use; set PORT to another\n`]);
    assert.equal(wrong?.code, 1);
    assert.match(wrong?.stderr ?? '', /^invalid PORT: "x" .*\ninvalid TRUST_PROXY: "x" .*\n$/);
    assert.equal(nowhere?.code, 1);
    assert.match(nowhere?.stderr ?? '', /^[^\n]*\/dev\/null\/data[^\n]*\n$/);
    assert.equal(elsewhere?.code, 1);
    assert.match(
      elsewhere?.stderr ?? '',
      /^HOST: the service cannot listen on 192\.0\.2\.1 \(.*EADDRNOTAVAIL[^\n]*\)\n$/,
    );
    assert.deepEqual([storeless?.code, storeless?.stdout], [1, '']);
    assert.match(storeless?.stderr ?? '', /^STORAGE_URL: the store of files does not respond \([^\n]+\)\n$/);
  } finally {
    occupant.close();
    await remove();
  }
});
