// /s/ and /p/: each output of a render under its own address, with headers that keep a stranger's document from running here.
// Spec 2.3, 2.4; v2 2.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OutputFormat } from '#browser/job.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { storeRender } from '#test/support/stored-render.ts';

let service: TestService;
let accountId: string;
before(async () => {
  service = await startService();
  ({ accountId } = await service.newKey());
});
after(() => service.stop());

const outputOf = (format: OutputFormat) => ({ format, bytes: Buffer.from(`<p>${format}</p>`) });
const get = (path: string) => fetch(service.origin + path);

const rows: {
  format: OutputFormat;
  below: 's' | 'p';
  contentType: string;
  extensions: string[];
  disposition: 'inline' | 'attachment';
}[] = [
  { format: 'png', below: 's', contentType: 'image/png', extensions: ['png'], disposition: 'inline' },
  {
    format: 'jpeg',
    below: 's',
    contentType: 'image/jpeg',
    extensions: ['jpg', 'jpeg'],
    disposition: 'inline',
  },
  { format: 'webp', below: 's', contentType: 'image/webp', extensions: ['webp'], disposition: 'inline' },
  { format: 'pdf', below: 'p', contentType: 'application/pdf', extensions: ['pdf'], disposition: 'inline' },
  {
    format: 'html',
    below: 's',
    contentType: 'text/html; charset=utf-8',
    extensions: ['html', 'htm'],
    disposition: 'attachment',
  },
  {
    format: 'mhtml',
    below: 's',
    contentType: 'multipart/related',
    extensions: ['mhtml', 'mht'],
    disposition: 'attachment',
  },
  {
    format: 'text',
    below: 's',
    contentType: 'text/plain; charset=utf-8',
    extensions: ['txt'],
    disposition: 'inline',
  },
  {
    format: 'markdown',
    below: 's',
    contentType: 'text/markdown; charset=utf-8',
    extensions: ['md'],
    disposition: 'inline',
  },
  {
    format: 'metadata',
    below: 's',
    contentType: 'application/json',
    extensions: ['json'],
    disposition: 'inline',
  },
  {
    format: 'accessibility',
    below: 's',
    contentType: 'application/json',
    extensions: ['json'],
    disposition: 'inline',
  },
];

test('every format: its type, its disposition, a policy in which nothing runs, and its extensions', async () => {
  for (const { format, below, contentType, extensions, disposition } of rows) {
    // Not the first: its address has a number.
    const id = await storeRender(service, accountId, [outputOf('png'), outputOf(format)]);
    const address = `/${below}/${id}-1`;
    const response = await get(address);
    assert.deepEqual([response.status, await response.text()], [200, `<p>${format}</p>`], format);
    assert.equal(response.headers.get('content-type'), contentType, format);
    assert.equal(
      response.headers.get('content-disposition'),
      `${disposition}; filename="example.com.${extensions[0]}"; filename*=UTF-8''example.com.${extensions[0]}`,
    );
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /sandbox$/);
    for (const extension of extensions) {
      assert.equal((await get(`${address}.${extension.toUpperCase()}`)).status, 200, extension);
    }
    const wrong = format === 'png' ? 'jpg' : 'png';
    for (const path of [`${address}.${wrong}`, `/${below === 's' ? 'p' : 's'}/${id}-1`]) {
      assert.equal((await get(path)).status, 404, path);
    }
  }
});

test('a range and an ETag of the second output are its own', async () => {
  const id = await storeRender(service, accountId, [outputOf('png'), outputOf('text')]);
  const part = await fetch(`${service.origin}/s/${id}-1`, { headers: { range: 'bytes=3-6' } });
  assert.deepEqual([part.status, await part.text()], [206, 'text']);
  const [first, second] = [await get(`/s/${id}`), await get(`/s/${id}-1`)];
  assert.notEqual(first.headers.get('etag'), second.headers.get('etag'));
  const again = await fetch(`${service.origin}/s/${id}-1`, {
    headers: { 'if-none-match': second.headers.get('etag') ?? '' },
  });
  assert.equal(again.status, 304);
});

test('expired and deleted renders, and those of a suspended account, resolve with none of their outputs', async () => {
  const now = service.clock.now();
  const outputs = [outputOf('png'), outputOf('html')];
  const suspended = await service.newKey();
  const ids = [
    await storeRender(service, accountId, outputs, { expires_at: now }),
    await storeRender(service, accountId, outputs, { deleted_at: now }),
    await storeRender(service, accountId, outputs, { hosted: 0 }),
    await storeRender(service, suspended.accountId, outputs),
  ];
  await service.accounts.update(suspended.email, { suspended: true });
  for (const id of ids)
    for (const path of [`/s/${id}`, `/s/${id}-1`, `/i/${id}`])
      assert.equal((await get(path)).status, 404, path);
});

test('a document without an address has a name too', async () => {
  const id = await storeRender(service, accountId, [outputOf('png')], { target: 'about:html' });
  assert.match((await get(`/s/${id}`)).headers.get('content-disposition') ?? '', /filename="document\.png"/);
});
