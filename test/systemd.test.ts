// The units in deploy/: systemd accepts them, their hardening and restart options are set, and the timer starts the renewal of the browser.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { variables } from '#roof/config.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';

const units = ['tintype.service', 'tintype-browser-renew.service', 'tintype-browser-renew.timer'] as const;
const read = (unit: (typeof units)[number]): string => readFileSync(join(root, 'deploy', unit), 'utf8');
const settingsOf = (unit: (typeof units)[number]) =>
  read(unit)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('['))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
const settings = settingsOf('tintype.service');
const valueOf = (name: string, given = settings): string | undefined =>
  given.find(([key]) => key === name)?.[1];

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

test('every day the timer starts the renewal of the browser, as the same user, on the same cache and with the same rights', () => {
  const renewal = settingsOf('tintype-browser-renew.service');
  const timer = settingsOf('tintype-browser-renew.timer');
  assert.deepEqual(
    ['OnCalendar', 'Persistent', 'Unit', 'WantedBy'].map((name) => valueOf(name, timer)),
    // Without a name, a timer starts the service that is called like it.
    ['daily', 'yes', undefined, 'timers.target'],
  );
  assert.match(valueOf('ExecStart', renewal) ?? '', / bin\/tintype\.js browser renew$/);
  assert.equal(valueOf('Type', renewal), 'oneshot');
  for (const name of ['User', 'Group', 'WorkingDirectory', 'EnvironmentFile', 'CacheDirectory', 'UMask'])
    assert.equal(valueOf(name, renewal), valueOf(name), name);
  const cache = /CACHE_DIR=\S+/;
  assert.equal(cache.exec(valueOf('Environment', renewal)!)?.[0], cache.exec(valueOf('Environment')!)?.[0]);
  const rightsOf = (given: typeof settings) =>
    given.slice(
      given.findIndex(([name]) => name === 'NoNewPrivileges'),
      given.findIndex(([name]) => name === 'SystemCallErrorNumber') + 1,
    );
  assert.ok(rightsOf(settings).length > 20);
  assert.deepEqual(rightsOf(renewal), rightsOf(settings));
});

test('systemd-analyze finds nothing wrong with them', async (context) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    context.skip('there is no systemd-analyze on this machine');
    return;
  }
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  for (const unit of units) {
    // The program, its folder and its user do not exist on this machine.
    const here = read(unit)
      .replace('/opt/tintype/node_modules/.bin/node', process.execPath)
      .replace('WorkingDirectory=/opt/tintype', `WorkingDirectory=${root}`)
      .replace('User=tintype', 'User=root')
      .replace('Group=tintype', 'Group=root');
    await writeFile(join(path, unit), here);
  }
  const copies = units.map((unit) => join(path, unit));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...copies], {
    encoding: 'utf8',
  });
  const complaints = stderr.split('\n').filter((line) => line.includes('tintype'));
  assert.deepEqual([status, stdout.trim(), complaints], [0, '', []]);
});
