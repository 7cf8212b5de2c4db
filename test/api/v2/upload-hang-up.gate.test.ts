// An upload whose client hangs up while its file waits to be cleaned: it is not stored, and not metered. Spec 10.8.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CrashPoint } from '#core/crash-points.ts';
import type { UploadLink } from '#api/v2/album-schemas.ts';
import type { Upload, Usage } from '#api/v2/upload-schemas.ts';
import { callsOf, type List } from '#test/support/calls-v2.ts';
import { png } from '#test/support/images.ts';
import { quietFor } from '#test/support/quiet-for.ts';
import { bearer, formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';

let service: TestService;
/** Uploads whose form has been read. What is left before the line is a look at the quota. */
let received = 0;
before(async () => {
  const reached = (point: CrashPoint) => {
    if (point === 'files received') received += 1;
  };
  service = await startService({}, 0, undefined, { reached });
});
after(() => service.stop());

/** About a second of work each. One file of an account is cleaned at a time, so they keep the next one waiting. */
const slow = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg"><rect><animate attributeName="fill" values="${'rgb(1,2,3);'.repeat(800_000)}"/></rect></svg>`,
);

test('with a key, and through an upload link', async () => {
  const { key } = await service.newKey();
  const call = callsOf(service.origin, key);
  const { body: link } = await call<UploadLink>('POST', '/upload_links', { body: { max_files: 5 } });
  const bytes = await png();
  const inFront = Array.from({ length: 3 }, () =>
    call('POST', '/uploads', { body: formOf([[slow, 'slow.svg']]) }),
  );
  await waitFor('those in front', () => received === inFront.length);
  const leaving = new AbortController();
  const left = ['/api/v2/uploads', new URL(link.url!).pathname].map((path) =>
    fetch(service.origin + path, {
      method: 'POST',
      body: formOf([[bytes, 'left.png']]),
      headers: path.startsWith('/api/') ? bearer(key) : {},
      signal: leaving.signal,
    }),
  );
  await waitFor('the others', () => received === inFront.length + left.length);
  await quietFor(200, 'they have looked at the quota and are in line, which nothing shows');
  leaving.abort();
  assert.deepEqual(
    (await Promise.allSettled(left)).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const stored = (await Promise.all(inFront)).filter(({ status }) => status === 201).length;
  // In line behind those that have left.
  assert.equal((await call('POST', '/uploads', { body: formOf([[bytes, 'stayed.png']]) })).status, 201);
  const { items } = (await call<List<Upload>>('GET', '/uploads')).body;
  assert.ok(!items.some(({ filename }) => filename === 'left.png'));
  assert.equal((await call<Usage>('GET', '/usage')).body.upload.used, stored + 1);
});
