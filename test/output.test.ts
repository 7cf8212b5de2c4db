// The log must not be able to stop the service: each test logs 4 MB in a process of its own, and sees whether it continues.
import assert from 'node:assert/strict';
import { spawn, type StdioPipe } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '#test/support/processes.ts';

const lines = 4_000;
const exitCode = 3;
const script = `
  const { createLog } = await import('#roof/log.ts');
  const log = createLog('info');
  for (let n = 0; n < ${lines}; n += 1) log.info({ n }, 'x'.repeat(1000));
  setTimeout(() => {
    process.send('continues');
    log.info('last');
    process.exit(${exitCode});
  }, 300);`;

function logTo(stdout: number | StdioPipe) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  });
  return { child, continues: once(child, 'message'), exited: once(child, 'exit') };
}

test('a log on a full disk does not stop the service, nor keep it from exiting', async () => {
  const full = openSync('/dev/full', 'w');
  const { continues, exited } = logTo(full);
  closeSync(full);
  assert.deepEqual(
    [await continues, await exited],
    [
      ['continues', undefined],
      [exitCode, null],
    ],
  );
});

test('a log whose reader has gone does not stop the service, nor keep it from exiting', async () => {
  const { child, continues, exited } = logTo('pipe');
  child.stdout?.destroy();
  assert.deepEqual(
    [await continues, await exited],
    [
      ['continues', undefined],
      [exitCode, null],
    ],
  );
});

test('a log that nobody reads does not block the service', async () => {
  const { child, continues } = logTo('pipe');
  try {
    assert.deepEqual(await continues, ['continues', undefined]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a log in a file is in order and ends with the last line before the exit', async () => {
  const { path, remove } = await temporaryFolder();
  try {
    const file = join(path, 'log');
    const log = openSync(file, 'w');
    const { exited } = logTo(log);
    closeSync(log);
    assert.deepEqual(await exited, [exitCode, null]);
    const written = readFileSync(file, 'utf8').trim().split('\n');
    const numbers = written.slice(0, -1).map((line) => (JSON.parse(line) as { n: number }).n);
    assert.deepEqual(
      numbers,
      Array.from(numbers, (_, index) => index),
    );
    assert.match(written.at(-1) ?? '', /"msg":"last"/);
  } finally {
    await remove();
  }
});
