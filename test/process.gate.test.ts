// Ways to start the process: what tells the owner the first key, two at once, and TLS.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ownerFile, serveUntilReady, spawnServe, temporaryFolder, tintype } from '#test/support/processes.ts';
import { bearer } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';

const execute = promisify(execFile);

test('OWNER_FILE gets what the first start would print, for the owner of the process alone', async () => {
  const { path, remove } = await temporaryFolder();
  const file = join(path, 'owner.txt');
  const environment = { DATA_DIR: join(path, 'data'), OWNER_EMAIL: 'Ada@example.com', OWNER_FILE: file };
  const serving = await serveUntilReady(environment);
  try {
    const welcome = await ownerFile(file);
    assert.match(welcome, /ada@example\.com \(plan business\)/);
    assert.match(welcome, /^ {2}Your API key {3}tt_\w{49}/m);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  } finally {
    const { stdout } = await serving.end();
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      lines.flatMap((line) => (line['file'] === undefined ? [] : [[line['owner'], line['file']]])),
      [['ada@example.com', file]],
      'every line is JSON, and one says where the key is',
    );
    assert.doesNotMatch(stdout, /tt_|token=/);
    await remove();
  }
});

test('OWNER_KEY is the key of the owner from the first request on, and is neither printed nor written', async () => {
  const { path, remove } = await temporaryFolder();
  const { stdout: key } = await tintype(['key', 'generate']);
  const keyFile = join(path, 'key');
  const dataDir = join(path, 'data');
  await writeFile(keyFile, key);
  const serving = await serveUntilReady({ DATA_DIR: dataDir, OWNER_KEY_FILE: keyFile });
  try {
    const ask = async () =>
      (await fetch(`${serving.origin}/api/v2/usage`, { headers: bearer(key.trim()) })).status;
    await waitFor('the owner', async () => (await ask()) === 200);
  } finally {
    const { stdout } = await serving.end();
    assert.match(stdout, /"owner":"owner@tintype\.local".*OWNER_KEY/);
    assert.doesNotMatch(stdout, /tt_/);
    await remove();
  }
});

test('on a terminal the log is readable, and the first start shows the key there', async (context) => {
  if (spawnSync('script', ['--version']).status !== 0) {
    context.skip('there is no program "script" on this machine to make a terminal with');
    return;
  }
  const { path, remove } = await temporaryFolder();
  const shell = `exec '${process.execPath}' bin/tintype.js serve`;
  const serving = await serveUntilReady({ DATA_DIR: path }, ['script', '-qec', shell, '/dev/null']);
  try {
    await waitFor('the block', () => serving.stdout().includes('sample.png'));
    assert.match(serving.stdout(), /^\d\d:\d\d:\d\d {2}info {3}listening on /m);
    assert.match(serving.stdout(), /^ {2}Your API key {3}tt_\w{49}/m);
  } finally {
    await serving.end();
    await remove();
  }
});

test('two first starts at once on an empty folder: both run, one shows the block', async () => {
  const { path, remove } = await temporaryFolder();
  const both = await Promise.all([serveUntilReady({ DATA_DIR: path }), serveUntilReady({ DATA_DIR: path })]);
  try {
    await waitFor('the block', () => both.some(({ stdout }) => stdout().includes('sample.png')));
  } finally {
    const ended = await Promise.all(both.map((serving) => serving.end()));
    assert.deepEqual(
      ended.map(({ code, stderr }) => [code, stderr]),
      [
        [0, ''],
        [0, ''],
      ],
    );
    assert.equal(ended.filter(({ stdout }) => stdout.includes('Your API key')).length, 1);
    await remove();
  }
});

test('TLS by certificate files', async (context) => {
  if (spawnSync('openssl', ['version']).status !== 0) {
    context.diagnostic('there is no openssl on this machine to make a certificate with');
    return;
  }
  const { path, remove } = await temporaryFolder();
  const [certFile, keyFile, otherKey] = ['cert.pem', 'key.pem', 'other.pem'].map((name) =>
    join(path, name),
  ) as [string, string, string];
  const certificate = (key: string, cert: string) =>
    execute(
      'openssl',
      (
        'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost ' +
        `-keyout ${key} -out ${cert}`
      ).split(' '),
    );
  await certificate(otherKey, certFile);
  await certificate(keyFile, certFile);
  const environment = { DATA_DIR: path, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const mismatched = await tintype(['account', 'list'], { ...environment, TLS_KEY_FILE: otherKey });
  assert.match(mismatched.stderr, /TLS_CERT_FILE or TLS_KEY_FILE/);
  const serving = await spawnServe(environment);
  try {
    await waitFor('the service', () => serving.stdout().includes('Tintype is ready'));
    assert.match(serving.stdout(), /Tintype is ready at https:\/\/localhost:\d+/);
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request(`${serving.origin}/healthz`, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
    assert.equal(await promise, 200);
  } finally {
    assert.equal((await serving.end()).code, 0);
    await remove();
  }
});
