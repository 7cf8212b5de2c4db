// Hosted files on many machines: by redirect to the store where the operator asks for it, and on a host of their own.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { png, svg } from '#test/support/images.ts';
import { rawRequest } from '#test/support/raw-request.ts';
import { startS3, type TestS3 } from '#test/support/s3.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne, type Uploaded } from '#test/support/uploading.ts';

describe('STORAGE_REDIRECT and CONTENT_BASE_URL', () => {
  let s3: TestS3;
  let service: TestService;
  let image: Buffer;
  let upload: Uploaded;
  let key: string;

  before(async () => {
    s3 = await startS3();
    image = await png();
    service = await startService({
      STORAGE_URL: s3.newStorageUrl(),
      STORAGE_REDIRECT: 'true',
      CONTENT_BASE_URL: 'http://files.tintype.test',
    });
    ({ key } = await service.newKey());
    upload = await uploadOne(service.origin, key, { bytes: image, filename: 'naïve "name".png' });
  });
  after(async () => {
    await service?.stop();
    await s3?.stop();
  });

  const onHost = (host: string, path: string) => rawRequest(service.origin, 'GET', path, { host });

  test('a picture is redirected to the store, which answers with its true type and name', async () => {
    const answer = await fetch(upload.fileAt, { redirect: 'manual' });
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const location = answer.headers.get('location') ?? '';
    assert.ok(Number(new URL(location).searchParams.get('X-Amz-Expires')) <= 300);
    const served = await fetch(location);
    assert.equal(served.headers.get('content-type'), 'image/png');
    assert.match(served.headers.get('content-disposition') ?? '', /^inline; filename="/);
    assert.ok(image.equals(Buffer.from(await served.arrayBuffer())));
    const part = await fetch(upload.fileAt, { headers: { range: 'bytes=1-3' } });
    assert.equal(part.status, 206);
    assert.equal(await part.text(), 'PNG');
    const download = await fetch(`${upload.fileAt}?download`);
    assert.match(download.headers.get('content-disposition') ?? '', /^attachment; /);
  });

  test('a signed address does not outlive the upload', async () => {
    const brief = await uploadOne(service.origin, key, { bytes: image, fields: { expires_in: '60' } });
    const answer = await fetch(brief.fileAt, { redirect: 'manual' });
    const location = new URL(answer.headers.get('location') ?? '');
    assert.ok(Number(location.searchParams.get('X-Amz-Expires')) <= 60);
  });

  test('an SVG needs our headers, and is never redirected; nor is what has not changed', async () => {
    const drawing = await uploadOne(service.origin, key, { bytes: svg(), filename: 'a.svg' });
    const answer = await fetch(drawing.fileAt, { redirect: 'manual' });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/);
    const etag = answer.headers.get('etag') ?? '';
    const same = await fetch(drawing.fileAt, { headers: { 'if-none-match': etag } });
    assert.equal(same.status, 304);
  });

  test('links to bytes lead to the content host, the rest to the base', async () => {
    assert.equal(new URL(upload.file_url).origin, 'http://files.tintype.test');
    assert.equal(new URL(upload.url).origin, 'http://tintype.test');
    assert.equal(new URL(upload.delete_url).origin, 'http://tintype.test');
    const page = await fetch(upload.pageAt);
    assert.ok((await page.text()).includes(`src="http://files.tintype.test/f/${upload.slug}"`));
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /img-src 'self' data: http:\/\/files\.tintype\.test http:\/\/127\.0\.0\.1:\d+;/);
  });

  test('the page that asks before it deletes may show the picture from the store', async () => {
    const { pathname, search } = new URL(upload.delete_url);
    const page = await fetch(service.origin + pathname + search, { headers: { accept: 'text/html' } });
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /img-src 'self' data: http:\/\/files\.tintype\.test http:\/\/127\.0\.0\.1:\d+;/);
  });

  test('the content host serves bytes and nothing else', async () => {
    assert.equal((await onHost('files.tintype.test', `/f/${upload.slug}`)).status, 302);
    for (const path of [`/i/${upload.slug}`, '/docs', '/metrics', '/openapi.json', '/api/v1/upload', '/']) {
      assert.equal((await onHost('files.tintype.test', path)).status, 404, path);
    }
    assert.equal((await onHost('tintype.test', '/docs')).status, 200);
  });
});
