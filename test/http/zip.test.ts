// The written zip format: the system's tools can read it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { distinctNames, zipOf } from '#http/zip.ts';
import { temporaryFolder } from '#test/support/processes.ts';

const run = promisify(execFile);

const fileOf = (name: string, chunks: string[] | undefined) => ({
  name,
  sizeBytes: chunks?.join('').length ?? 4,
  modifiedAt: Date.UTC(2026, 10, 16, 5, 30),
  open: async () =>
    chunks && { stream: Readable.from(chunks.map((text) => Buffer.from(text))), [Symbol.dispose]() {} },
});

test('an archive of streamed files can be read back completely; a deleted file is left out', async () => {
  const { path, remove } = await temporaryFolder();
  try {
    const archive = join(path, 'a.zip');
    const files = [
      fileOf('a.txt', ['hello ', 'world']),
      fileOf('gone.txt', undefined),
      fileOf('写真.txt', ['x'.repeat(70_000)]),
      fileOf('empty.txt', []),
    ];
    await writeFile(archive, await buffer(Readable.from(zipOf(files))));
    const script = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps([[one.filename, one.file_size, list(one.date_time)] for one in archive.infolist()]))
    assert archive.read('a.txt') == b'hello world'
`;
    const { stdout } = await run('python3', ['-c', script, archive]);
    const time = [2026, 11, 16, 5, 30, 0];
    assert.deepEqual(JSON.parse(stdout), [
      ['a.txt', 11, time],
      ['写真.txt', 70_000, time],
      ['empty.txt', 0, time],
    ]);
  } finally {
    await remove();
  }
});

test('beyond 4 GB: every place is found, in Zip64', async () => {
  const { path, remove } = await temporaryFolder();
  try {
    const archive = join(path, 'large.zip');
    await using file = await open(archive, 'w');
    const sizeBytes = 3 * 2 ** 30;
    const files = ['a.bin', 'b.bin', 'c.bin'].map((name) => ({ ...fileOf(name, []), sizeBytes }));
    let place = 0;
    for await (const chunk of zipOf(files)) {
      await file.write(chunk, 0, chunk.length, place);
      // What the files themselves would fill is a hole.
      place += chunk.length + (chunk.readUInt32LE(0) === 0x04034b50 ? sizeBytes : 0);
    }
    const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for one in archive.infolist():
        print(one.filename, one.header_offset, one.file_size, len(archive.open(one).read(10)))
`;
    const { stdout } = await run('python3', ['-c', script, archive]);
    const next = sizeBytes + 35 + 16;
    assert.deepEqual(stdout.trim().split('\n'), [
      `a.bin 0 ${sizeBytes} 10`,
      `b.bin ${next} ${sizeBytes} 10`,
      `c.bin ${2 * next} ${sizeBytes} 10`,
    ]);
  } finally {
    await remove();
  }
});

test('a file is opened when its turn comes, and closed when the reader disconnects', async () => {
  const opened: string[] = [];
  let closed = 0;
  const files = ['a', 'b', 'c'].map((name) => ({
    ...fileOf(name, ['1', '2']),
    async open() {
      opened.push(name);
      return {
        stream: Readable.from([Buffer.from('12')]),
        [Symbol.dispose]() {
          closed += 1;
        },
      };
    },
  }));
  for await (const chunk of zipOf(files)) if (chunk.toString() === '12' && opened.length === 2) break;
  assert.deepEqual([opened, closed], [['a', 'b'], 2]);
});

test('names that occur more than once get a number', () => {
  assert.deepEqual(distinctNames(['a.png', 'A.png', 'a.png', 'b', 'b']), [
    'a.png',
    'A (2).png',
    'a (3).png',
    'b',
    'b (2)',
  ]);
});
