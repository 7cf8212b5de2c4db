// How much memory there is, that of the machine or of the container, and how the processor is divided.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openMemory } from '#browser/process/memory.ts';
import { weighsBySession } from '#browser/process/priority.ts';
import { temporaryFolder } from '#test/support/processes.ts';

const MiB = 1024 ** 2;

async function onSystem<T>(files: Record<string, string>, read: (root: string) => T): Promise<T> {
  const { path: root, remove } = await temporaryFolder();
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
    return read(root);
  } finally {
    await remove();
  }
}

const memoryOf = (files: Record<string, string>) =>
  onSystem(files, (root) => {
    const memory = openMemory(root);
    return { total: memory.totalBytes, left: memory.leftBytes() };
  });

test('a container of control groups, version 2: its limit, and what is left without cached files', async () => {
  const { total, left } = await memoryOf({
    'proc/self/cgroup': '0::/pod/one\n',
    'sys/fs/cgroup/pod/one/memory.max': `${200 * MiB}\n`,
    'sys/fs/cgroup/pod/one/memory.current': `${150 * MiB}\n`,
    'sys/fs/cgroup/pod/one/memory.stat': `anon 1\nfile ${90 * MiB}\ninactive_file ${30 * MiB}\nactive_file ${20 * MiB}\n`,
    'sys/fs/cgroup/pod/memory.max': 'max\n',
  });
  assert.deepEqual({ total, left }, { total: 200 * MiB, left: 100 * MiB });
});

test('the limit of a group around it counts too', async () => {
  const { total, left } = await memoryOf({
    'proc/self/cgroup': '0::/pod/one\n',
    'sys/fs/cgroup/pod/one/memory.max': 'max\n',
    'sys/fs/cgroup/pod/memory.max': `${300 * MiB}\n`,
    'sys/fs/cgroup/pod/memory.current': `${290 * MiB}\n`,
    'sys/fs/cgroup/pod/memory.stat': '',
  });
  assert.deepEqual({ total, left }, { total: 300 * MiB, left: 10 * MiB });
});

test('a container of control groups, version 1, which sees its own group as the root', async () => {
  const { total, left } = await memoryOf({
    'proc/self/cgroup': '11:cpu,cpuacct:/docker/0123\n4:memory:/docker/0123\n0::/\n',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': `${400 * MiB}\n`,
    'sys/fs/cgroup/memory/memory.usage_in_bytes': `${100 * MiB}\n`,
    'sys/fs/cgroup/memory/memory.stat': `total_inactive_file ${5 * MiB}\ntotal_active_file ${5 * MiB}\n`,
  });
  assert.deepEqual({ total, left }, { total: 400 * MiB, left: 310 * MiB });
});

test('without a limit it is that of the machine', async () => {
  const none = {
    'proc/self/cgroup': '4:memory:/\n',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
  };
  for (const files of [none, {}]) {
    const { total, left } = await memoryOf(files);
    assert.equal(total, totalmem());
    assert.ok(left > 0 && left <= totalmem());
  }
});

test('sessions share the processor equally where the kernel groups by session, and not in a group with a weight', async () => {
  const grouping = { 'proc/sys/kernel/sched_autogroup_enabled': '1\n', 'proc/self/cgroup': '0::/pod\n' };
  assert.equal(await onSystem(grouping, weighsBySession), true);
  assert.equal(
    await onSystem({ ...grouping, 'sys/fs/cgroup/pod/cpu.weight': '100\n' }, weighsBySession),
    false,
  );
  const off = { ...grouping, 'proc/sys/kernel/sched_autogroup_enabled': '0\n' };
  assert.equal(await onSystem(off, weighsBySession), false);
  assert.equal(await onSystem({}, weighsBySession), false);
});
