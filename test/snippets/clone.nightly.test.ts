// The first two blocks of README.md, as a newcomer runs them: clone, npm start, and the first upload with the key that it printed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort, root, temporaryFolder } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { fencedBlocks } from './blocks.ts';

test('README.md: clone, npm start and the first upload', async (context) => {
  if (!existsSync(join(root, '.git'))) return context.skip('this folder is not a git repository to clone');
  const [start, upload] = fencedBlocks('README.md', readFileSync(join(root, 'README.md'), 'utf8'));
  assert.ok(start && upload);
  assert.match(start.code, /npm start/);
  const { path: folder, remove } = await temporaryFolder();
  context.after(remove);
  const port = String(await freePort());
  const script = start.code.replace('<the address of this repository>', `'${root}'`);
  const child = spawn('bash', ['-e', '-c', script], {
    cwd: folder,
    env: { ...process.env, PORT: port },
    detached: true,
  });
  const ended = once(child, 'close');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  try {
    await waitFor(
      'npm start to print the key',
      async () => child.exitCode !== null || /tt_\w{49}/.test(output),
      900_000,
    );
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(output) && child.exitCode !== null)
      return context.skip(`the npm registry cannot be reached:\n${output.slice(-500)}`);
    assert.equal(child.exitCode, null, output);
    const key = /tt_\w{49}/.exec(output)?.[0] ?? '';
    const command = upload.code.replace('localhost:3000', `localhost:${port}`).replace('tt_…', key);
    const first = spawn('bash', ['-e', '-c', command], { cwd: join(folder, 'tintype') });
    let answer = '';
    first.stdout.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    const [code] = (await once(first, 'close')) as [number];
    assert.equal(code, 0, answer);
    assert.match(answer, /"content_type":"image\/png"/);
  } finally {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGINT');
    await ended;
  }
});
