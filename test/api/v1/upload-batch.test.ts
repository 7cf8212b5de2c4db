// POST /api/v1/upload/batch, clause by clause.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { UploadResult } from '#api/v1/schemas.ts';
import * as images from '#test/support/images.ts';
import { bearer, formOf, post, type ErrorBody } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

interface BatchBody {
  items: {
    ok: boolean;
    index: number;
    source_filename: string;
    upload?: UploadResult;
    error?: { code: string; message: string };
  }[];
  summary: { total: number; succeeded: number; failed: number };
}

let service: TestService;
let endpoint: string;
let key: string;

before(async () => {
  service = await startService({
    PLANS_FILE: new URL('../../fixtures/plans.json', import.meta.url).pathname,
  });
  endpoint = `${service.origin}/api/v1/upload/batch`;
  ({ key } = await service.newKey());
});
after(() => service.stop());

const send = <T = BatchBody>(files: [Buffer, string][], fields = {}, withKey = key) =>
  post<T>(endpoint, { body: formOf(files, fields), headers: bearer(withKey) });
const text = Buffer.from('no image');

test('4.2.3 every file stored: 201, one item per file in request order', async () => {
  const { status, body } = await send([
    [await images.png(), 'one.png'],
    [await images.gif(), 'deep/two.gif'],
    [images.svg(), 'three.svg'],
  ]);
  assert.equal(status, 201);
  assert.deepEqual(body.summary, { total: 3, succeeded: 3, failed: 0 });
  assert.deepEqual(
    body.items.map(({ ok, index, source_filename, error }) => [ok, index, source_filename, error]),
    [
      [true, 0, 'one.png', undefined],
      [true, 1, 'deep/two.gif', undefined],
      [true, 2, 'three.svg', undefined],
    ],
  );
  assert.deepEqual(
    body.items.map(({ upload }) => [upload?.content_type, upload?.filename]),
    [
      ['image/png', 'one.png'],
      ['image/gif', 'two.gif'],
      ['image/svg+xml', 'three.svg'],
    ],
  );
});

test('4.2.4 mixed results: 207, each item with its upload or its own error', async () => {
  const { status, body, headers } = await send([
    [text, 'a.txt'],
    [await images.png(), 'b.png'],
    [await images.pngOfSize(10 * 1024 * 1024 + 1), 'c.png'],
    [Buffer.from('<svg><g></svg>'), 'd.svg'],
  ]);
  assert.equal(status, 207);
  assert.deepEqual(body.summary, { total: 4, succeeded: 1, failed: 3 });
  assert.deepEqual(
    body.items.map(({ ok, error }) => (ok ? 'stored' : error?.code)),
    ['unsupported_type', 'stored', 'file_too_large', 'validation_error'],
  );
  assert.ok(body.items.every((item) => (item.upload === undefined) !== (item.error === undefined)));
  assert.equal(headers.get('x-service-quota-limit'), '1000000');
});

describe('4.2.5 every file fails: the status of the failure, and still the batch body', () => {
  const cases: [string, () => Promise<[Buffer, string][]>, number, string][] = [
    [
      '415',
      async () => [
        [text, 'a'],
        [text, 'b'],
      ],
      415,
      'unsupported_type',
    ],
    ['413', async () => [[await images.pngOfSize(10 * 1024 * 1024 + 1), 'a']], 413, 'file_too_large'],
    ['422', async () => [[Buffer.from('<svg'), 'a']], 422, 'validation_error'],
  ];
  for (const [name, files, expected, code] of cases) {
    test(name, async () => {
      const { status, body, headers } = await send(await files());
      assert.equal(status, expected);
      assert.equal(body.items[0]?.error?.code, code);
      assert.equal(body.summary.succeeded, 0);
      assert.equal(headers.get('x-service-quota-limit'), null, 'nothing was metered');
    });
  }
  test('402, with the headers of a spent quota', async () => {
    const spent = await service.newKey({ plan: 'two-uploads' });
    await send(
      [
        [await images.png(), 'a'],
        [await images.png(), 'b'],
      ],
      {},
      spent.key,
    );
    const { status, body, headers } = await send([[await images.png(), 'c']], {}, spent.key);
    assert.equal(status, 402);
    assert.equal(body.items[0]?.error?.code, 'quota_exceeded');
    assert.deepEqual(
      [headers.get('x-service-quota-limit'), headers.get('x-service-quota-remaining')],
      ['2', '0'],
    );
  });
});

test('7 a spent quota is checked before an SVG is parsed, and after the cheap checks', async () => {
  const { key: spent } = await service.newKey({ plan: 'no-uploads' });
  const { status, body } = await send(
    [
      [Buffer.from('<svg'), 'broken.svg'],
      [images.svg(), 'good.svg'],
      [text, 'no picture'],
      [Buffer.from('<html></html>'), 'no picture either'],
      [await images.png(), 'a.png'],
    ],
    {},
    spent,
  );
  assert.equal(status, 402);
  assert.deepEqual(
    body.items.map(({ error }) => error?.code),
    ['quota_exceeded', 'quota_exceeded', 'unsupported_type', 'unsupported_type', 'quota_exceeded'],
  );
});

test('4.2.8 every file fails with different codes: the status of the first', async () => {
  const { status } = await send([
    [Buffer.from('<svg'), 'a'],
    [text, 'b'],
  ]);
  assert.equal(status, 422);
});

test('4.2.1 files are handled in order: the quota runs out in the middle, and the first are stored', async () => {
  const { key: small } = await service.newKey({ plan: 'two-uploads' });
  const files = await Promise.all(
    [0, 1, 2, 3].map(async (n): Promise<[Buffer, string]> => [await images.png(), `${n}.png`]),
  );
  const { status, body, headers } = await send(files, {}, small);
  assert.equal(status, 207);
  assert.deepEqual(
    body.items.map(({ ok, error }) => (ok ? 'stored' : error?.code)),
    ['stored', 'stored', 'quota_exceeded', 'quota_exceeded'],
  );
  assert.equal(headers.get('x-service-quota-remaining'), '0');
  assert.equal(headers.get('x-service-quota-warning'), '100');
});

test('4.2.2 each stored file costs one upload unit, and one that is refused costs none', async () => {
  const { key: small } = await service.newKey({ plan: 'two-uploads' });
  const { status, headers } = await send(
    [
      [await images.png(), 'a.png'],
      [text, 'b.png'],
    ],
    {},
    small,
  );
  assert.equal(status, 207);
  assert.equal(headers.get('x-service-quota-remaining'), '1');
});

test('2.5 eleven files: too_many_files in the plain envelope, nothing stored', async () => {
  const fresh = await service.newKey();
  const files = Array.from({ length: 11 }, (): [Buffer, string] => [images.svg(), 'a.svg']);
  const { status, body } = await send<ErrorBody>(files, {}, fresh.key);
  assert.deepEqual([status, body.error.code], [422, 'too_many_files']);
  const { used } = await service.database.tables.usage.read({
    accountId: fresh.accountId,
    unit: 'upload',
    month: new Date().toISOString().slice(0, 7),
  });
  assert.equal(used, 0);
});

test('4.2 ten files and exactly 50 MB pass; one byte more is batch_too_large, nothing stored', async () => {
  const fresh = await service.newKey();
  const five = await images.pngOfSize(5 * 1024 * 1024);
  const ten = Array.from({ length: 10 }, (_, index): [Buffer, string] => [five, `${index}.png`]);
  assert.equal((await send(ten, {}, fresh.key)).status, 201);
  const over = [...ten.slice(1), [Buffer.concat([five, Buffer.alloc(1)]), 'over.png'] as [Buffer, string]];
  const { status, body } = await send<ErrorBody>(over, {}, fresh.key);
  assert.deepEqual([status, body.error.code], [413, 'batch_too_large']);
  const { used } = await service.database.tables.usage.read({
    accountId: fresh.accountId,
    unit: 'upload',
    month: new Date().toISOString().slice(0, 7),
  });
  assert.equal(used, 10);
});

test('4.2.6 malformed multipart, a bad expires_in and a missing file use the plain envelope', async () => {
  const malformed = await post(endpoint, {
    body: 'nonsense',
    headers: { ...bearer(key), 'content-type': 'multipart/form-data; boundary=x' },
  });
  assert.deepEqual([malformed.status, malformed.body.error.code], [422, 'validation_error']);
  const expiry = await send<ErrorBody>([[await images.png(), 'a.png']], { expires_in: 'soon' });
  assert.deepEqual([expiry.status, expiry.body.error.code], [422, 'validation_error']);
  const none = await send<ErrorBody>([], { expires_in: '60' });
  assert.match(none.body.error.message, /^file: /);
});

test('2.2 source_filename has the quotes that clients escape as %22', async () => {
  const { body } = await send([[await images.png(), 'a "b" 100%.png']]);
  const [item] = body.items;
  assert.equal(item?.source_filename, 'a "b" 100%.png');
  assert.equal(item?.upload?.filename, 'a _b_ 100%.png');
});

test('4.2.6 a part whose headers cannot be read is not silently ignored', async () => {
  const part = (disposition: string) => `--XX\r\nContent-Disposition: ${disposition}\r\n\r\nGIF89a\r\n`;
  for (const unreadable of [
    'form-data; name="file"; filename="b"; filename*=UTF-8\'\'%',
    'form-data; name="file"; filename=',
    'attachment; name="file"; filename="b"',
    '',
  ]) {
    const right = part('form-data; name="file"; filename="a"');
    const { status, body } = await post(endpoint, {
      body: `${right}${part(unreadable)}--XX--\r\n`,
      headers: { ...bearer(key), 'content-type': 'multipart/form-data; boundary=XX' },
    });
    assert.deepEqual([status, body.error.code], [422, 'validation_error'], unreadable);
    assert.match(body.error.message, /^body: .*Content-Disposition/);
  }
});

test('4.2 expires_in applies to every file of the batch', async () => {
  const { body } = await send(
    [
      [await images.png(), 'a.png'],
      [await images.gif(), 'b.gif'],
    ],
    { expires_in: '3600' },
  );
  for (const { upload } of body.items) {
    assert.ok(Math.abs(Date.parse(upload?.expires_at ?? '') - service.clock.now() - 3_600_000) < 5_000);
  }
});

test('4.2.7 the overage header describes the most recent stored file', async () => {
  const over = await service.newKey({ plan: 'two-uploads', overages: true });
  const files = await Promise.all(
    [0, 1, 2].map(async (n): Promise<[Buffer, string]> => [await images.png(), `${n}.png`]),
  );
  const { status, headers } = await send(files, {}, over.key);
  assert.equal(status, 201);
  assert.equal(headers.get('x-service-overage'), 'true');
  assert.equal(headers.get('x-service-quota-usage-percent'), '150');
});
