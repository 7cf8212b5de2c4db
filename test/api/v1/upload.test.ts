// POST /api/v1/upload, clause by clause. The recorded exchanges have every rule of its form and fields.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { UploadResult } from '#api/v1/schemas.ts';
import * as images from '#test/support/images.ts';
import { bearer, formOf, post, type ErrorBody } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';

let service: TestService;
let endpoint: string;
let key: string;

before(async () => {
  service = await startService();
  endpoint = `${service.origin}/api/v1/upload`;
  ({ key } = await service.newKey());
});
after(() => service.stop());

const send = <T = UploadResult>(body: RequestInit['body'], headers: Record<string, string> = {}) =>
  post<T>(endpoint, { body: body ?? null, headers: { ...bearer(key), ...headers } });
const sendFile = <T = UploadResult>(bytes: Buffer, filename = 'a.png', fields: Record<string, string> = {}) =>
  send<T>(formOf([[bytes, filename]], fields));

test('2.1 the upload result has every field, and links made from the base URL', async () => {
  const bytes = await images.png();
  const { status, body } = await sendFile(bytes, 'photo of me.png');
  assert.equal(status, 201);
  assert.deepEqual(Object.keys(body).sort(), [
    'content_type',
    'delete_url',
    'expires_at',
    'file_url',
    'filename',
    'id',
    'size_bytes',
    'slug',
    'url',
  ]);
  assert.equal(body.url, `http://tintype.test/i/${body.slug}`);
  assert.equal(body.file_url, `http://tintype.test/f/${body.slug}`);
  assert.match(
    body.delete_url,
    new RegExp(`^http://tintype\\.test/api/uploads/${body.id}/delete\\?token=[\\w-]{43}$`),
  );
  assert.ok(body.slug.length >= 10);
  assert.equal(body.size_bytes, bytes.length);
  assert.equal(body.filename, 'photo of me.png');
  assert.equal(body.expires_at, null);
});

test('2.1 links never use the Host header', async () => {
  const response = await fetch(endpoint, {
    method: 'POST',
    body: formOf([[await images.png(), 'a.png']]),
    headers: { ...bearer(key), 'x-forwarded-host': 'evil.example' },
  });
  assert.doesNotMatch(await response.text(), /evil/);
});

test('4.1.1 the content type is detected from the bytes, whatever the name and the declared type', async () => {
  const table: [string, Buffer][] = [
    ['image/png', await images.png()],
    ['image/jpeg', await images.jpeg()],
    ['image/gif', await images.gif()],
    ['image/webp', await images.webp()],
    ['image/avif', await images.avif()],
    ['image/svg+xml', images.svg()],
  ];
  for (const [type, bytes] of table) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'text/html' }), 'page.html');
    const { status, body } = await send(form);
    assert.equal(status, 201, type);
    assert.equal(body.content_type, type);
    const served = await fetch(`${service.origin}/f/${body.slug}`);
    assert.equal(served.headers.get('content-type'), type);
    if (type !== 'image/svg+xml') assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
  }
});

test('4.1.2 an SVG is sanitized before storage and measured afterwards', async () => {
  const { body } = await sendFile(
    images.svg('<script>alert(1)</script><circle r="4" onclick="alert(1)"/>'),
    'x.svg',
  );
  const stored = await (await fetch(`${service.origin}/f/${body.slug}`)).text();
  assert.match(stored, /<circle r="4"/);
  assert.doesNotMatch(stored, /script|onclick/);
  assert.equal(body.size_bytes, Buffer.byteLength(stored));
});

test('4.1 an SVG without a namespace is accepted and gets one; a malformed one is a validation_error naming file', async () => {
  const bare = await sendFile(
    Buffer.from('<svg width="4" height="4"><rect width="4" height="4"/></svg>'),
    'bare.svg',
  );
  assert.equal(bare.status, 201);
  assert.match(
    await (await fetch(`${service.origin}/f/${bare.body.slug}`)).text(),
    /xmlns="http:\/\/www.w3.org\/2000\/svg"/,
  );
  const broken = await sendFile<ErrorBody>(
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><g></svg>'),
    'x.svg',
  );
  assert.equal(broken.status, 422);
  assert.equal(broken.body.error.code, 'validation_error');
  assert.match(broken.body.error.message, /^file: /);
});

test('4.1 bytes of another type are unsupported_type', async () => {
  const { status, body } = await sendFile<ErrorBody>(Buffer.from('%PDF-1.7\n'), 'a.png');
  assert.deepEqual([status, body.error.code], [415, 'unsupported_type']);
  assert.match(body.error.message, /file/);
});

test('4.1 exactly 10 MB is stored; one byte more is file_too_large', async () => {
  const fits = await sendFile(await images.pngOfSize(10 * 1024 * 1024));
  assert.deepEqual([fits.status, fits.body.size_bytes], [201, 10 * 1024 * 1024]);
  const tooLarge = await sendFile<ErrorBody>(await images.pngOfSize(10 * 1024 * 1024 + 1));
  assert.deepEqual([tooLarge.status, tooLarge.body.error.code], [413, 'file_too_large']);
});

test('4.1 expires_in: on the Free plan links live 30 days: by default, and at most', async () => {
  const free = await service.newKey({ plan: 'free' });
  for (const [fields, seconds] of [
    [{}, 2_592_000],
    [{ expires_in: '31536000' }, 2_592_000],
    [{ expires_in: '120' }, 120],
  ] as const) {
    const { body } = await post<UploadResult>(endpoint, {
      body: formOf([[await images.png(), 'a.png']], fields),
      headers: bearer(free.key),
    });
    const life = Date.parse(body.expires_at ?? '') - service.clock.now();
    assert.ok(Math.abs(life - seconds * 1000) < 5_000, `${JSON.stringify(fields)} lives for ${life} ms`);
  }
});

test('a client that disconnects in the middle leaves nothing behind', async () => {
  const spool = join(service.config.blobsDir, 'uploads', 'spool');
  const { port } = new URL(service.origin);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    `POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 5000000\r\n` +
      'Content-Type: multipart/form-data; boundary=XX\r\n\r\n' +
      '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
  );
  socket.write(Buffer.alloc(2_000_000, 1));
  await waitFor('the spool to be there', async () => (await readdir(spool)).length > 0);
  socket.destroy();
  await waitFor('the spool to be gone', async () => (await readdir(spool)).length === 0);
});

test('a response is sent although the body is not read to its end', async () => {
  const response = await post(endpoint, {
    body: new Uint8Array(20 * 1024 * 1024),
    headers: { 'content-type': 'multipart/form-data; boundary=XX' },
  });
  assert.equal(response.status, 401);
});
