// deploy/tintype.service: systemd accepts it, and its hardening and restart options are set.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { variables } from '#roof/config.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';

const file = join(root, 'deploy', 'tintype.service');
const text = readFileSync(file, 'utf8');
const settings = text
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('['))
  .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
const valueOf = (name: string): string | undefined => settings.find(([key]) => key === name)?.[1];

test('the unit is hardened, restarts on failure, and allows Chromium its sandbox', () => {
  for (const [name, value] of [
    ['NoNewPrivileges', 'yes'],
    ['PrivateTmp', 'yes'],
    ['ProtectSystem', 'strict'],
    ['ProtectHome', 'yes'],
    ['CapabilityBoundingSet', ''],
    ['StateDirectory', 'tintype'],
    ['Restart', 'on-failure'],
    ['OOMPolicy', 'continue'],
  ] as const) {
    assert.equal(valueOf(name), value, name);
  }
  assert.notEqual(valueOf('User'), 'root');
  for (const name of ['RestrictNamespaces', 'PrivateUsers', 'MemoryDenyWriteExecute', 'ProcSubset'])
    assert.equal(valueOf(name), undefined, `${name} would stop Chromium or its sandbox`);
  assert.doesNotMatch(valueOf('SystemCallFilter') ?? '', /@privileged|@mount|@debug/);
});

test("its folders match its variables, and every variable is one of Tintype's", () => {
  const set = (valueOf('Environment') ?? '').split(' ').map((pair) => pair.split('='));
  assert.deepEqual(Object.fromEntries(set), {
    DATA_DIR: `/var/lib/${valueOf('StateDirectory')}`,
    CACHE_DIR: `/var/cache/${valueOf('CacheDirectory')}`,
    OWNER_FILE: `/var/lib/${valueOf('StateDirectory')}/owner.txt`,
  });
  for (const [name = ''] of set) assert.ok(name in variables, name);
  assert.match(valueOf('ExecStart') ?? '', / bin\/tintype\.js serve$/);
});

test('systemd-analyze finds nothing wrong with it', async (context) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    context.skip('there is no systemd-analyze on this machine');
    return;
  }
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  // The program, its folder and its user do not exist on this machine.
  const here = text
    .replace('/opt/tintype/node_modules/.bin/node', process.execPath)
    .replace('WorkingDirectory=/opt/tintype', `WorkingDirectory=${root}`)
    .replace('User=tintype', 'User=root')
    .replace('Group=tintype', 'Group=root');
  const copy = join(path, 'tintype.service');
  await writeFile(copy, here);
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' });
  const complaints = stderr.split('\n').filter((line) => line.includes('tintype.service'));
  assert.deepEqual([status, stdout.trim(), complaints], [0, '', []]);
});
