// Reads for downloads: readers take turns, pieces shrink with the number of streams, and every file is closed.
import assert from 'node:assert/strict';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createDiskReads } from '#storage/disk-reads.ts';
import { openDescriptors } from '#test/support/process-table.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MiB = 1024 * 1024;
const bytes = Buffer.alloc(3 * MiB + 5, 'abcdefg');
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;
before(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'file');
  await writeFile(path, bytes);
});
after(() => folder.remove());

test('a file arrives whole or in part, in pieces of 1 MB', async () => {
  const { stream } = createDiskReads();
  const whole = (await stream(await open(path), 'a').toArray()) as Buffer[];
  assert.deepEqual(
    whole.map(({ length }) => length),
    [MiB, MiB, MiB, 5],
  );
  assert.ok(Buffer.concat(whole).equals(bytes));
  for (const [start, end] of [
    [0, 0],
    [10, 2 * MiB],
    [bytes.length - 1, bytes.length - 1],
  ] as const) {
    const part = (await stream(await open(path), 'a', { start, end }).toArray()) as Buffer[];
    assert.ok(Buffer.concat(part).equals(bytes.subarray(start, end + 1)), `${start} to ${end}`);
  }
});

test('many streams of one reader share its memory; another reader keeps half', async () => {
  const { stream } = createDiskReads();
  const many = await Promise.all(Array.from({ length: 400 }, async () => stream(await open(path), 'many')));
  const other = stream(await open(path), 'other');
  const first = async (from: typeof other) =>
    ((await from[Symbol.asyncIterator]().next()).value as Buffer).length;
  assert.equal(await first(other), MiB);
  assert.equal(await first(many[0]!), Math.floor((32 * MiB) / 2 / 400));
  for (const each of [...many, other]) each.destroy();
});

test('the reader with one stream does not wait for the forty streams of another', async () => {
  const { stream } = createDiskReads();
  const done: string[] = [];
  const read = async (name: string) => {
    await stream(await open(path), name).toArray();
    done.push(name);
  };
  await Promise.all([...Array.from({ length: 40 }, () => read('many')), read('one')]);
  assert.ok(done.indexOf('one') < 10, `finished as number ${done.indexOf('one') + 1}`);
});

test('a stream that is destroyed before, during or after a read closes its file', async () => {
  const { stream } = createDiskReads();
  const before = openDescriptors();
  const waiting = await Promise.all(Array.from({ length: 20 }, async () => stream(await open(path), 'a')));
  for (const [index, each] of waiting.entries()) {
    if (index % 3 !== 0) each.read(0);
    if (index % 3 === 2) each.once('readable', () => each.destroy());
    else each.destroy();
  }
  await waitFor('every file to be closed', () => openDescriptors() <= before);
});

test('a read that fails ends the stream with its error', async () => {
  const { stream } = createDiskReads();
  const file = await open(path, 'a');
  await assert.rejects(stream(file, 'a').toArray(), { code: 'EBADF' });
});
