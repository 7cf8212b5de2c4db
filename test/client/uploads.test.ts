// The library's uploads against a real service.
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Tintype, TintypeError, type BatchItem, type FileInput, type Progress } from '#client/index.ts';
import { png, pngOfSize, svg } from '#test/support/images.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let client: Tintype;
let folder: string;
let image: Buffer;

before(async () => {
  service = await startService();
  client = await clientOf();
  folder = await mkdtemp(join(tmpdir(), 'tintype-client-'));
  image = await png();
  await writeFile(join(folder, 'on disk.png'), image);
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const sources: { title: string; source: () => FileInput; filename: string }[] = [
  { title: 'a path', source: () => join(folder, 'on disk.png'), filename: 'on disk.png' },
  { title: 'a file: URL', source: () => pathToFileURL(join(folder, 'on disk.png')), filename: 'on disk.png' },
  { title: 'a Blob', source: () => new Blob([new Uint8Array(image)]), filename: 'image' },
  {
    title: 'a File',
    source: () => new File([new Uint8Array(image)], 'of a form.png'),
    filename: 'of a form.png',
  },
  { title: 'a Buffer', source: () => image, filename: 'image' },
  { title: 'an ArrayBuffer', source: () => new Uint8Array(image).buffer, filename: 'image' },
  {
    title: 'a Node stream',
    source: () => createReadStream(join(folder, 'on disk.png')),
    filename: 'on disk.png',
  },
  { title: 'a web stream', source: () => new Blob([new Uint8Array(image)]).stream(), filename: 'image' },
  {
    title: 'bytes with a name',
    source: () => ({ data: image, filename: 'naïve ☃.png' }),
    filename: 'naïve ☃.png',
  },
];

for (const { title, source, filename } of sources) {
  test(`upload takes ${title}`, async () => {
    const { items } = await client.uploadBatch([source()]);
    const [item] = items;
    assert.ok(item?.ok, JSON.stringify(item));
    assert.equal(item.sourceFilename, filename);

    const { meta, ...result } = await client.upload(source(), { expiresIn: 3600 });
    assert.equal(result.contentType, 'image/png');
    assert.equal(result.sizeBytes, image.length);
    assert.ok(Date.parse(result.expiresAt ?? '') > Date.now());
    assert.match(meta.requestId ?? '', /./);
    assert.equal(meta.rateLimit?.limit, 3000);
    assert.equal(meta.quota?.limit, 1_000_000);
    assert.equal(meta.quota?.isOverage, false);
    const stored = await fetch(service.origin + new URL(result.fileUrl).pathname);
    assert.deepEqual(Buffer.from(await stored.arrayBuffer()), image);
  });
}

test('progress is told in bytes of the file, up to all of them', async () => {
  const large = await pngOfSize(3 * 1024 * 1024);
  const told: Progress[] = [];
  await client.upload(large, { onProgress: (progress) => told.push(progress) });
  assert.ok(told.length > 3, `told ${told.length} times`);
  assert.deepEqual(told.at(-1), { sentBytes: large.length, totalBytes: large.length });
  assert.ok(told.every(({ sentBytes }, index) => sentBytes >= (told[index - 1]?.sentBytes ?? 0)));
});

test('23 files go as three batches, in order, each file with its own outcome', async () => {
  const inputs = Array.from({ length: 23 }, (_, index) => ({
    data: index % 5 === 4 ? Buffer.from('not an image') : svg(`<rect width="${index + 1}" height="1"/>`),
    filename: `${index}.svg`,
  }));
  const outcomes: BatchItem[] = [];
  const told: Progress[] = [];
  const before = (await client.upload(image)).meta.rateLimit?.remaining ?? 0;
  const { items, summary, meta } = await client.uploadBatch(inputs, {
    onItem: (item) => outcomes.push(item),
    onProgress: (progress) => told.push(progress),
  });
  assert.deepEqual(summary, { total: 23, succeeded: 19, failed: 4 });
  assert.deepEqual(
    items.map(({ index, sourceFilename, ok }) => [index, sourceFilename, ok]),
    inputs.map(({ filename }, index) => [index, filename, index % 5 !== 4]),
  );
  assert.deepEqual(outcomes, items);
  assert.equal(before - (meta?.rateLimit?.remaining ?? 0), 3);
  const total = inputs.reduce((sum, { data }) => sum + data.length, 0);
  assert.deepEqual(told.at(-1), { sentBytes: total, totalBytes: total });
});

test('more than 50 MB go as several batches, and a file over 10 MB is refused without being sent', async () => {
  const files = [
    ...Array.from({ length: 3 }, () => new Uint8Array(1)),
    ...(await Promise.all(Array.from({ length: 6 }, () => pngOfSize(9 * 1024 * 1024)))),
    new Uint8Array(10 * 1024 * 1024 + 1),
  ];
  const before = (await client.upload(image)).meta.rateLimit?.remaining ?? 0;
  const { items, meta } = await client.uploadBatch(files);
  assert.deepEqual(
    items.map((item) => (item.ok ? 'stored' : item.error.code)),
    [...Array(3).fill('unsupported_type'), ...Array(6).fill('stored'), 'file_too_large'],
  );
  assert.equal(before - (meta?.rateLimit?.remaining ?? 0), 2);
});

test('a file that cannot be read is an item of the batch, and the others are sent', async () => {
  const told: Progress[] = [];
  const { items, summary } = await client.uploadBatch(
    [join(folder, 'on disk.png'), join(folder, 'nope.png'), folder, image],
    { onProgress: (progress) => told.push(progress) },
  );
  assert.deepEqual(
    items.map((item) => [item.index, item.ok || item.error.code]),
    [
      [0, true],
      [1, 'unreadable_file'],
      [2, 'unreadable_file'],
      [3, true],
    ],
  );
  assert.deepEqual(summary, { total: 4, succeeded: 2, failed: 2 });
  assert.equal(items[1]?.sourceFilename, 'nope.png');
  assert.equal(told.at(-1)?.sentBytes, 2 * image.length);
});

test('a stream of text is sent as its bytes, up to the limit', async () => {
  const text = svg('<text>żółć ☃</text>').toString();
  await writeFile(join(folder, 'text.svg'), text);
  const stream = createReadStream(join(folder, 'text.svg'), 'utf8') as unknown as FileInput;
  assert.equal((await client.upload(stream)).contentType, 'image/svg+xml');
  async function* of(chunk: unknown, count: number): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < count; sent += 1) yield chunk as Uint8Array;
  }
  await rejects(client.upload(of('x'.repeat(1024 * 1024), 11)), 'file_too_large', undefined, false);
  await rejects(client.upload(of({}, 1)), 'unreadable_file', undefined, false);
});

test('what is not a file is refused by name, before anything is sent', async () => {
  const wrong: [input: unknown, says: RegExp][] = [
    [null, /not null$/],
    [undefined, /not undefined$/],
    [5, /not number$/],
    [new Response('x'), /not Response$/],
    [{ data: null, filename: 'a.png' }, /not null$/],
    [{ data: image, filename: 5 }, /^TypeError: filename must be a string$/],
  ];
  for (const [input, says] of wrong) {
    await assert.rejects(client.upload(input as FileInput), (error) => says.test(String(error)));
    const outcomes: BatchItem[] = [];
    const batch = client.uploadBatch([image, input as FileInput], { onItem: (item) => outcomes.push(item) });
    await assert.rejects(batch, (error) => says.test(String(error)));
    assert.equal(outcomes.length, 0);
  }
  await assert.rejects(client.uploadBatch('photo.png'), /^TypeError: uploadBatch takes a list of files/);
});

test('7 errors are typed by code and carry the request id', async () => {
  const wrong = new Tintype({ baseUrl: service.origin, apiKey: 'tt_nobody' });
  await rejects(wrong.upload(image), 'unauthorized', 401);
  await rejects(client.upload(Buffer.from('text')), 'unsupported_type', 415);
  await rejects(client.upload(image, { expiresIn: 1 }), 'validation_error', 422);
  const local = await rejects(
    client.upload(join(folder, 'missing.png')),
    'unreadable_file',
    undefined,
    false,
  );
  assert.match(local.message, /^cannot read missing\.png: ENOENT/);
  await rejects(client.upload(new Uint8Array(10 * 1024 * 1024 + 1)), 'file_too_large', undefined, false);
});

test('7 quota_exceeded carries the quota, and a batch that was cut short its outcomes so far', async () => {
  const free = await clientOf('free');
  const error = await rejects(
    free
      .uploadBatch(Array.from({ length: 290 }, () => image))
      .then(() => free.uploadBatch(Array.from({ length: 30 }, () => image))),
    'rate_limited',
    429,
  );
  assert.equal(error.partial?.length, 10);
  assert.ok(error.partial.every(({ ok }) => ok));
  assert.equal(error.meta?.rateLimit?.remaining, 0);
  assert.ok((error.retryAfterSeconds ?? 0) > 0);

  await service.clock.advance(61_000);
  const spent = await free.uploadBatch(Array.from({ length: 220 }, () => image));
  assert.deepEqual(spent.summary, { total: 220, succeeded: 200, failed: 20 });
  const refused = await rejects(free.upload(image), 'quota_exceeded', 402);
  assert.equal(refused.meta?.quota?.limit, 500);
  assert.equal(refused.meta?.quota?.remaining, 0);
});

async function clientOf(plan?: string): Promise<Tintype> {
  const { key } = await service.newKey(plan ? { plan } : {});
  return new Tintype({ baseUrl: service.origin, apiKey: key, onRetry: () => false });
}

async function rejects(
  promise: Promise<unknown>,
  code: string,
  status: number | undefined,
  hasRequestId = true,
): Promise<TintypeError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TintypeError, `not a TintypeError: ${String(error)}`);
  assert.deepEqual([error.code, error.status, error.requestId !== undefined], [code, status, hasRequestId]);
  return error;
}
