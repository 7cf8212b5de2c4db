// A form whose files exceed what is kept in memory is read as fast as the disk can write, in order.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { ServiceError } from '#core/errors.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import { formOf } from '#api/v1/upload-form.ts';
import { readUploadForm } from '#http/body/upload-form.ts';
import { temporaryFolder } from '#test/support/processes.ts';

const head = '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';

function requestOf(body: Readable): IncomingMessage {
  const headers = { 'content-type': 'multipart/form-data; boundary=xyz' };
  return Object.assign(body, { headers, complete: true }) as unknown as IncomingMessage;
}

test('several files in one chunk wait for the disk one after the other, and the body is paused meanwhile', async () => {
  const { path, remove } = await temporaryFolder();
  const blobs = await createDiskBlobs(path);
  const contents = [randomBytes(600_000), randomBytes(700_000), randomBytes(800_000)];
  const body = Buffer.concat([
    ...contents.flatMap((content) => [Buffer.from(head), content, Buffer.from('\r\n')]),
    Buffer.from('--xyz--\r\n'),
  ]);
  // The first two files and the beginning of the third are in one chunk, the rest arrives in many.
  const cuts = [
    0,
    1_700_000,
    ...Array.from({ length: 40 }, (_, index) => 1_705_000 + index * 10_000),
    body.length,
  ];
  const chunks = cuts.slice(1).map((end, index) => body.subarray(cuts[index], end));
  const form = await readUploadForm(
    requestOf(Readable.from(chunks, { objectMode: false })),
    blobs,
    'account',
    formOf('batch'),
  );
  try {
    const read = await Promise.all(form.files.map(({ spool }) => spool.read()));
    assert.deepEqual(
      read.map((bytes, index) => bytes.equals(contents[index] ?? Buffer.alloc(0))),
      [true, true, true],
    );
  } finally {
    await form[Symbol.asyncDispose]();
    await remove();
  }
});

test('a body that breaks off with an error is a validation_error, and leaves nothing behind', async () => {
  const { path, remove } = await temporaryFolder();
  const blobs = await createDiskBlobs(path);
  const body = new Readable({ read() {} });
  body.push(Buffer.concat([Buffer.from(head), randomBytes(400_000)]));
  const form = readUploadForm(requestOf(body), blobs, 'account', formOf('single'));
  setImmediate(() => body.destroy(new Error('read ECONNRESET')));
  await assert.rejects(form, (error: ServiceError) => {
    assert.deepEqual([error.code, /^body: .*ECONNRESET/.test(error.message)], ['validation_error', true]);
    return true;
  });
  assert.deepEqual(await readdir(join(path, 'spool')), []);
  await remove();
});
