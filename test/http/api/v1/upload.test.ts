// POST /api/v1/upload, clause by clause.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { UploadResult } from '#http/api/v1/schemas.ts';
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
const raw = <T = ErrorBody>(body: string | Buffer, contentType = 'multipart/form-data; boundary=XX') =>
  send<T>(typeof body === 'string' ? body : new Uint8Array(body), { 'content-type': contentType });

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

describe('4.1 bytes of another type, or none, are unsupported_type', () => {
  const cases: [string, Buffer][] = [
    ['an empty file', Buffer.alloc(0)],
    ['text', Buffer.from('hello')],
    [
      'HTML that holds an svg',
      Buffer.from('<!doctype html><html><body><svg xmlns="http://www.w3.org/2000/svg"/></body></html>'),
    ],
    ['PDF', Buffer.from('%PDF-1.7\n')],
    ['BMP', Buffer.from('BM\0\0\0\0\0\0\0\0')],
    ['WAVE in RIFF', Buffer.from('RIFF\x24\0\0\0WAVEfmt ')],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')],
    ['GIF88a', Buffer.from('GIF88a\x01\0\x01\0')],
  ];
  for (const [name, bytes] of cases) {
    test(name, async () => {
      const { status, body } = await sendFile<ErrorBody>(bytes, 'a.png');
      assert.deepEqual([status, body.error.code], [415, 'unsupported_type']);
      assert.match(body.error.message, /file/);
    });
  }
});

test('4.1 exactly 10 MB is stored; one byte more is file_too_large', async () => {
  const fits = await sendFile(await images.pngOfSize(10 * 1024 * 1024));
  assert.deepEqual([fits.status, fits.body.size_bytes], [201, 10 * 1024 * 1024]);
  const tooLarge = await sendFile<ErrorBody>(await images.pngOfSize(10 * 1024 * 1024 + 1));
  assert.deepEqual([tooLarge.status, tooLarge.body.error.code], [413, 'file_too_large']);
});

describe('4.1 expires_in', () => {
  for (const seconds of ['60', '31536000']) {
    test(`${seconds} is accepted`, async () => {
      const { status, body } = await sendFile(await images.png(), 'a.png', { expires_in: seconds });
      assert.equal(status, 201);
      const life = Date.parse(body.expires_at ?? '') - service.clock.now();
      assert.ok(Math.abs(life - Number(seconds) * 1000) < 5_000, `lives for ${life} ms`);
    });
  }
  for (const value of [
    '59',
    '31536001',
    '0',
    '-60',
    '60.5',
    '6e2',
    '0x3c',
    ' 60',
    '60 ',
    '060',
    '',
    'abc',
    '1'.repeat(300),
  ]) {
    test(`${JSON.stringify(value.slice(0, 20))} is a validation_error that names it`, async () => {
      const { status, body } = await sendFile<ErrorBody>(await images.png(), 'a.png', { expires_in: value });
      assert.deepEqual([status, body.error.code], [422, 'validation_error']);
      assert.match(body.error.message, /^expires_in: /);
    });
  }
  test('may come before the file', async () => {
    const form = new FormData();
    form.append('expires_in', '60');
    form.append('file', new Blob([new Uint8Array(await images.png())]), 'a.png');
    const { status, body } = await send(form);
    assert.equal(status, 201);
    assert.notEqual(body.expires_at, null);
  });
  const partOf = (head: string) =>
    `--XX\r\nContent-Disposition: form-data; name="file"; filename="a.gif"\r\n\r\nGIF89a\r\n` +
    `--XX\r\nContent-Disposition: form-data; name="expires_in"${head}\r\n\r\n60\r\n--XX--\r\n`;
  test('may have any type, as long as it is not a file', async () => {
    for (const head of ['\r\nContent-Type: application/octet-stream', '\r\nContent-Type: text/plain']) {
      const { status, body } = await raw<UploadResult>(partOf(head));
      assert.deepEqual([status, body.expires_at === null], [201, false], head);
    }
    const { status, body } = await raw(partOf('; filename="a.txt"'));
    assert.equal(status, 422);
    assert.match(body.error.message, /^expires_in: must be sent as a number/);
  });
  test('given twice is a validation_error', async () => {
    const form = formOf([[await images.png(), 'a.png']], { expires_in: '60' });
    form.append('expires_in', '60');
    const { status, body } = await send<ErrorBody>(form);
    assert.equal(status, 422);
    assert.match(body.error.message, /expires_in/);
  });
  test('on the Free plan links live 30 days: by default, and at most', async () => {
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
});

describe('4.1 an invalid form is a validation_error, and stores nothing', () => {
  const part = (name: string, filename: string, content: string) =>
    `--XX\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n${content}\r\n`;
  const cases: [string, string, RegExp, string?][] = [
    [
      'no file part',
      '--XX\r\nContent-Disposition: form-data; name="expires_in"\r\n\r\n60\r\n--XX--\r\n',
      /^file: /,
    ],
    ['a part of another name', `${part('image', 'a.png', 'x')}--XX--\r\n`, /"image".*"file"/],
    ['two file parts', `${part('file', 'a', 'x')}${part('file', 'b', 'y')}--XX--\r\n`, /^file: /],
    [
      'file as a plain field',
      '--XX\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc\r\n--XX--\r\n',
      /^file: /,
    ],
    ['no boundary', 'x', /body/, 'multipart/form-data'],
    ['not multipart', '{"file":1}', /body/, 'application/json'],
    ['an empty body', '', /body/],
    ['no form in the body', 'hello world', /body/],
    ['another boundary', `${part('file', 'a', 'x').replaceAll('XX', 'YY')}--YY--\r\n`, /body/],
    ['cut in a part', part('file', 'a', 'x').slice(0, -3), /body/],
    ['cut in a header', '--XX\r\nContent-Disposition: form-da', /body/],
    [
      'a header and then the end',
      '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n--XX--\r\n',
      /body/,
    ],
    ['a broken header', '--XX\r\nContent Disposition form-data\r\n\r\nhello\r\n--XX--\r\n', /body/],
    [
      'a part without a name',
      '--XX\r\nContent-Disposition: form-data\r\n\r\nx\r\n--XX--\r\n',
      /without a name/,
    ],
    [
      '200 parts',
      `${'--XX\r\nContent-Disposition: form-data; name="expires_in"\r\n\r\n60\r\n'.repeat(200)}--XX--\r\n`,
      /body|expires_in/,
    ],
    [
      'a header of 100 KB',
      `--XX\r\nContent-Disposition: form-data; name="${'n'.repeat(100_000)}"\r\n\r\nx\r\n--XX--\r\n`,
      /body/,
    ],
  ];
  for (const [name, body, message, contentType] of cases) {
    test(name, async () => {
      const answer = await raw(body, contentType);
      assert.deepEqual([answer.status, answer.body.error.code], [422, 'validation_error']);
      assert.match(answer.body.error.message, message);
    });
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
