// What a request holds is closed when it fails or its client leaves: a file without an owner ends a Node process when it is
// collected. `npm run prove -- leaks` interrupts every path at every call; these are the two that once ended the process.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Blobs, Spool } from '#storage/blobs.ts';
import * as images from '#test/support/images.ts';
import { openDescriptors } from '#test/support/process-table.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** More than a spool keeps in memory, so that there is a file. */
const sizeBytes = 400_000;
const svg = images.svg(`<path d="${'M1 2L3 4 '.repeat(sizeBytes / 9)}"/>`);
/** Both ends of the connections that this client keeps open are in this process. */
const mostConnections = 4;
/** More than that, so that a file left open by each is noticed. */
const attempts = 10;
let service: TestService;
/** Called with each write and each commit of a spool. */
let onSpool: (step: 'write' | 'commit', spool: number) => void = () => {};

before(async () => {
  let spools = 0;
  const watch = (spool: Spool): Spool => {
    const number = (spools += 1);
    return {
      ...spool,
      write(chunk) {
        onSpool('write', number);
        return spool.write(chunk);
      },
      async commit(key) {
        onSpool('commit', number);
        await spool.commit(key);
      },
    };
  };
  const wrapBlobs = (blobs: Blobs): Blobs => ({
    ...blobs,
    createSpool: (writer) => watch(blobs.createSpool(writer)),
  });
  service = await startService({}, 0, undefined, { wrapBlobs });
  // The first SVG starts a thread, which has descriptors of its own.
  const { key } = await service.newKey();
  await post(`${service.origin}/api/v1/upload`, { headers: bearer(key), body: formOf([[svg, 'a.svg']]) });
});
after(() => service.stop());

const spoolFiles = (): Promise<string[]> => readdir(join(service.config.blobsDir, 'uploads', 'spool'));

/** A full disk, as the spool sees it. */
const noSpace = (): never => {
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
};

for (const failing of ['write', 'commit'] as const) {
  test(`an SVG whose sanitized file fails at its ${failing} is 500, and leaves no file open`, async () => {
    const { key } = await service.newKey();
    const before = openDescriptors();
    const seen = new Set<number>();
    onSpool = (step, spool) => {
      seen.add(spool);
      // The first spool is the file as received, the second its sanitized form.
      if (step === failing && seen.size > 1) noSpace();
    };
    try {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        seen.clear();
        const body = formOf([[svg, 'a.svg']]);
        const { status } = await post(`${service.origin}/api/v1/upload`, { headers: bearer(key), body });
        assert.equal(status, 500);
      }
    } finally {
      onSpool = () => {};
    }
    assert.deepEqual(await spoolFiles(), []);
    await waitFor('the descriptors to be closed', () => openDescriptors() <= before + mostConnections);
  });
}

test('an export whose client leaves, after any number of pieces, leaves no file open', async () => {
  const person = await signedInVisitor(service);
  const { key } = await service.newKey();
  await post(`${service.origin}/api/v1/upload`, { headers: bearer(key), body: formOf([[svg, 'a.svg']]) });
  const picture = await images.pngOfSize(300_000);
  for (let count = 0; count < 6; count += 1)
    await person.raw('POST /uploads', { form: formOf([[picture, `${count}.png`]]) });
  const before = openDescriptors();
  for (let pieces = 0; pieces < attempts; pieces += 1) {
    const answer = await person.raw('GET /export');
    assert.equal(answer.status, 200);
    const reader = answer.body!.getReader();
    for (let read = 0; read < pieces; read += 1) await reader.read();
    await reader.cancel();
    await waitFor('the export to end', async () => {
      const next = await person.raw('GET /export');
      await next.arrayBuffer();
      return next.status === 200;
    });
  }
  await waitFor('the files to be closed', () => openDescriptors() <= before + mostConnections);
});
