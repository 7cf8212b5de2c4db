// GET /f/<slug>: the bytes, their headers, and their expiry. Spec 2.1, 3; RFC 9110.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { openBlobs } from '#roof/engines.ts';
import * as images from '#test/support/images.ts';
import { rawRequest } from '#test/support/raw-request.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne, type Uploaded } from '#test/support/uploading.ts';
import { waitFor } from '#test/support/wait-for.ts';

let service: TestService;
let key: string;
let bytes: Buffer;
let file: Uploaded;
let etag: string;
let lastModified: string;

before(async () => {
  service = await startService();
  ({ key } = await service.newKey());
  bytes = await images.png(30, 20);
  file = await uploadOne(service.origin, key, { bytes, filename: 'picture.png' });
  const { headers } = await fetch(file.fileAt);
  etag = headers.get('etag') ?? '';
  lastModified = headers.get('last-modified') ?? '';
});
after(() => service.stop());

const get = async (headers: Record<string, string> = {}, url = file.fileAt, method = 'GET') => {
  const response = await fetch(url, { headers, method });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
};

test('2.1 the bytes as they were sent, and headers that keep scripts in them from running', async () => {
  const { status, headers, body } = await get();
  assert.equal(status, 200);
  assert.deepEqual(body, bytes);
  assert.match(etag, /^"[\w-]{20,}"$/);
  const expected = {
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'content-disposition': `inline; filename="picture.png"; filename*=UTF-8''picture.png`,
    'cache-control': 'public, max-age=300, must-revalidate',
    'referrer-policy': 'no-referrer',
  };
  assert.deepEqual(
    Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)])),
    expected,
  );
  assert.ok(Math.abs(Date.parse(lastModified) - service.clock.now()) < 60_000);
});

test('HEAD has the headers of GET, and no body', async () => {
  const whole = await get();
  const { status, headers, body } = await get({}, file.fileAt, 'HEAD');
  assert.equal(status, 200);
  assert.equal(body.length, 0);
  for (const name of [
    'content-type',
    'content-length',
    'etag',
    'last-modified',
    'cache-control',
    'content-disposition',
  ]) {
    assert.equal(headers.get(name), whole.headers.get(name), name);
  }
});

describe('conditional requests', () => {
  const later = new Date(Date.now() + 60_000).toUTCString();
  const earlier = new Date(Date.now() - 3_600_000).toUTCString();
  const cases: [string, () => Record<string, string>, number][] = [
    ['the tag', () => ({ 'if-none-match': etag }), 304],
    ['the tag, weak', () => ({ 'if-none-match': `W/${etag}` }), 304],
    ['a list with the tag', () => ({ 'if-none-match': `"a", W/"b" ,${etag}` }), 304],
    ['any tag', () => ({ 'if-none-match': '*' }), 304],
    ['another tag', () => ({ 'if-none-match': '"another"' }), 200],
    ['the tag without its quotes', () => ({ 'if-none-match': etag.slice(1, -1) }), 200],
    ['a list without the tag', () => ({ 'if-none-match': '"a", "b"' }), 200],
    ['nothing', () => ({ 'if-none-match': '' }), 200],
    ['since then', () => ({ 'if-modified-since': lastModified }), 304],
    ['since later', () => ({ 'if-modified-since': later }), 304],
    ['since earlier', () => ({ 'if-modified-since': earlier }), 200],
    [
      'since later, in the form of C programs',
      () => ({ 'if-modified-since': 'Fri Jan  1 00:00:00 2100' }),
      304,
    ],
    ['since junk', () => ({ 'if-modified-since': 'yesterday-ish' }), 200],
    ['since a date that is not one of HTTP', () => ({ 'if-modified-since': '2100-01-01' }), 200],
    ['another tag beats the date', () => ({ 'if-none-match': '"a"', 'if-modified-since': later }), 200],
    ['the tag beats the date', () => ({ 'if-none-match': etag, 'if-modified-since': earlier }), 304],
  ];
  for (const [name, headers, expected] of cases) {
    test(`${name}: ${expected}`, async () => {
      const answer = await get(headers());
      assert.equal(answer.status, expected);
      assert.equal(answer.headers.get('etag'), etag);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=300, must-revalidate');
      if (expected === 304) assert.equal(answer.body.length, 0);
    });
  }

  const expectations: [string, () => Record<string, string>, number][] = [
    ['the tag is expected', () => ({ 'if-match': `"a", ${etag}` }), 200],
    ['any tag is expected', () => ({ 'if-match': '*' }), 200],
    ['another tag is expected', () => ({ 'if-match': '"another"' }), 412],
    ['the weak tag is expected', () => ({ 'if-match': `W/${etag}` }), 412],
    ['another tag is expected for a range', () => ({ 'if-match': '"another"', range: 'bytes=0-1' }), 412],
    [
      'another tag is expected, and none must match',
      () => ({ 'if-match': '"a"', 'if-none-match': etag }),
      412,
    ],
    ['no change since then is expected', () => ({ 'if-unmodified-since': lastModified }), 200],
    ['no change since earlier is expected', () => ({ 'if-unmodified-since': earlier }), 412],
    ['the tag beats the expected date', () => ({ 'if-match': etag, 'if-unmodified-since': earlier }), 200],
    ['a date that is not one of HTTP is expected', () => ({ 'if-unmodified-since': '2000-01-01' }), 200],
  ];
  for (const [name, headers, expected] of expectations) {
    test(`${name}: ${expected}`, async () => {
      const answer = await get(headers());
      assert.equal(answer.status, expected);
      assert.equal(answer.headers.get('etag'), etag);
      if (expected === 412) assert.equal(answer.body.length, 0);
    });
  }
});

describe('ranges', () => {
  const size = () => bytes.length;
  const whole = () => ({ status: 200, range: null, body: bytes });
  const part = (start: number, end: number) => ({
    status: 206,
    range: `bytes ${start}-${end}/${size()}`,
    body: bytes.subarray(start, end + 1),
  });
  const refused = () => ({ status: 416, range: `bytes */${size()}`, body: Buffer.alloc(0) });
  const cases: [string, () => ReturnType<typeof part> | ReturnType<typeof whole>, (() => string)?][] = [
    ['bytes=0-0', () => part(0, 0)],
    ['bytes=0-', () => part(0, size() - 1)],
    ['bytes=5-', () => part(5, size() - 1)],
    ['bytes=5-9', () => part(5, 9)],
    ['bytes=-1', () => part(size() - 1, size() - 1)],
    ['bytes=-99999', () => part(0, size() - 1)],
    ['bytes=5-99999', () => part(5, size() - 1)],
    ['BYTES=0-0', () => part(0, 0)],
    ['bytes=99999-', refused],
    ['bytes=99999-99999', refused],
    ['bytes=-0', refused],
    ['bytes=0-0,5-9', whole],
    ['bytes=0-0,', whole],
    ['bytes=9-5', whole],
    ['bytes=a-b', whole],
    ['bytes=', whole],
    ['bytes=-', whole],
    ['bytes', whole],
    ['items=0-5', whole],
    ['bytes=0x1-5', whole],
    ['bytes=--5', whole],
    ['bytes=0-0', () => part(0, 0), () => etag],
    ['bytes=0-0', () => part(0, 0), () => lastModified],
    ['bytes=0-0', whole, () => `W/${etag}`],
    ['bytes=0-0', whole, () => '"another"'],
    ['bytes=0-0', whole, () => new Date(0).toUTCString()],
    ['bytes=99999-', whole, () => '"another"'],
  ];
  for (const [range, expected, ifRange] of cases) {
    const title = ifRange ? `${range}, if ${ifRange.toString().slice(6)}` : range;
    test(title, async () => {
      const answer = await get({ range, ...(ifRange && { 'if-range': ifRange() }) });
      const { status, range: contentRange, body } = expected();
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('content-range'), contentRange);
      assert.deepEqual(answer.body, body);
      assert.equal(answer.headers.get('content-length'), String(body.length));
      if (status === 416) assert.equal(answer.headers.get('cache-control'), 'no-store');
    });
  }
  test('a range in HEAD is ignored, as RFC 9110 14.2 asks', async () => {
    const answer = await get({ range: 'bytes=0-0' }, file.fileAt, 'HEAD');
    assert.deepEqual([answer.status, answer.headers.get('content-length')], [200, String(size())]);
  });
  test('a condition that holds comes before the range', async () => {
    assert.equal((await get({ range: 'bytes=0-0', 'if-none-match': etag })).status, 304);
  });
});

describe('/f/<slug>.<ext> is an alias if the extension is right', () => {
  for (const [extension, expected] of [
    ['png', 200],
    ['PNG', 200],
    ['jpg', 404],
    ['html', 404],
    ['', 404],
    ['png.exe', 404],
  ] as const) {
    test(`.${extension}: ${expected}`, async () => {
      assert.equal((await get({}, `${file.fileAt}.${extension}`)).status, expected);
    });
  }
});

describe('names that try to break out of their header', () => {
  const cases: [string, string][] = [
    [
      'Zürich 東京 🏔.png',
      `filename="Z_rich __ __.png"; filename*=UTF-8''Z%C3%BCrich%20%E6%9D%B1%E4%BA%AC%20%F0%9F%8F%94.png`,
    ],
    [`it's (1) 100%.png`, `filename="it's (1) 100_.png"; filename*=UTF-8''it%27s%20%281%29%20100%25.png`],
    ['a;b=c,d.png', `filename="a;b=c,d.png"; filename*=UTF-8''a%3Bb%3Dc%2Cd.png`],
  ];
  for (const [filename, expected] of cases) {
    test(filename, async () => {
      const { fileAt } = await uploadOne(service.origin, key, { bytes, filename });
      const { headers } = await get({}, fileAt);
      assert.equal(headers.get('content-disposition'), `inline; ${expected}`);
    });
  }
  test('line breaks and quotes never get through', async () => {
    const { fileAt } = await uploadOne(service.origin, key, {
      bytes,
      filename: 'a"\r\nSet-Cookie: x=y;\u202e.png',
    });
    const { headers } = await get({}, fileAt);
    assert.equal(headers.get('set-cookie'), null);
    assert.match(
      headers.get('content-disposition') ?? '',
      /^inline; filename="[^"\\\r\n]*"; filename\*=UTF-8''[\w.~!#$&+^`|%-]*$/,
    );
  });
});

test('?download makes it an attachment', async () => {
  for (const query of ['?download', '?download=1', '?download=1&download=2']) {
    const { headers } = await get({}, file.fileAt + query);
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="picture\.png"/);
  }
});

test('an SVG is served with a policy that runs no script, also as a document', async () => {
  const { fileAt } = await uploadOne(service.origin, key, { bytes: images.svg(), filename: 'a.svg' });
  const { headers } = await get({ accept: 'text/html' }, fileAt);
  assert.equal(headers.get('content-type'), 'image/svg+xml');
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*; sandbox$/);
});

test('3 Cache-Control never exceeds the remaining lifetime; after that the link stops resolving', async () => {
  service.clock.hold();
  const { fileAt, pageAt } = await uploadOne(service.origin, key, { bytes, fields: { expires_in: '600' } });
  const maxAge = async (url: string) =>
    Number(/max-age=(\d+)/.exec((await get({}, url)).headers.get('cache-control') ?? '')?.[1]);
  assert.equal(await maxAge(fileAt), 300);
  await service.clock.advance(500_000);
  assert.equal(await maxAge(fileAt), 100);
  assert.equal((await get({}, pageAt)).headers.get('cache-control'), 'no-cache');
  await service.clock.advance(99_000);
  assert.equal(await maxAge(fileAt), 1);
  await service.clock.advance(1_000);
  for (const url of [fileAt, pageAt, `${fileAt}.png`]) await assertGone(url);
});

test('3 a deleted upload stops resolving at once', async () => {
  const { fileAt, pageAt, deleteAt } = await uploadOne(service.origin, key, { bytes });
  assert.equal((await fetch(deleteAt, { method: 'POST' })).status, 200);
  for (const url of [fileAt, pageAt]) await assertGone(url);
});

test('uploads of a suspended account do not resolve, and do again when it is reinstated', async () => {
  const owner = await service.newKey();
  const { fileAt, pageAt, deleteAt } = await uploadOne(service.origin, owner.key, { bytes });
  await service.accounts.update(owner.email, { suspended: true });
  for (const url of [fileAt, pageAt]) await assertGone(url);
  assert.equal((await fetch(deleteAt, { method: 'POST' })).status, 404);
  await service.accounts.update(owner.email, { suspended: false });
  assert.equal((await get({}, fileAt)).status, 200);
});

describe('unknown addresses: 404, not cacheable', () => {
  for (const path of [
    '/f/unknown',
    '/f/%00',
    '/f/%F0%9F%8F%94',
    '/f/..%2f..%2fetc%2fpasswd',
    '/f/.png',
    `/f/${'x'.repeat(500)}`,
    '/i/unknown',
    '/i/%00',
    '/f/',
    '/f',
  ]) {
    test(path.slice(0, 30), async () => {
      const { status, headers } = await rawRequest(service.origin, 'GET', path);
      assert.equal(status, 404);
      assert.equal(headers['cache-control'], 'no-store');
    });
  }
  test('other methods are not allowed', async () => {
    const { status, headers } = await rawRequest(service.origin, 'DELETE', `/f/${file.slug}`);
    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD']);
  });
});

test("bytes that are missing from the store: 404 with none of the file's headers", async () => {
  const { fileAt, id } = await uploadOne(service.origin, key, { bytes });
  await (await openBlobs(service.config, 'uploads')).delete(id);
  const { status, headers } = await get({ range: 'bytes=0-0' }, `${fileAt}?download`);
  assert.equal(status, 404);
  assert.equal(headers.get('cache-control'), 'no-store');
  for (const name of ['etag', 'last-modified', 'content-disposition', 'content-range', 'accept-ranges']) {
    assert.equal(headers.get(name), null, name);
  }
});

test('3 the sweep deletes the bytes and rows of expired uploads, and nothing else', async () => {
  const swept = await startService();
  const { key: owner } = await swept.newKey();
  const brief = await uploadOne(swept.origin, owner, { bytes, fields: { expires_in: '60' } });
  const kept = await uploadOne(swept.origin, owner, { bytes });
  const store = await openBlobs(swept.config, 'uploads');
  const blobs = async () => {
    const keys: string[] = [];
    for await (const batch of store.list()) keys.push(...batch.map(({ key }) => key));
    return keys;
  };
  assert.deepEqual((await blobs()).toSorted(), [brief.id, kept.id].toSorted());
  await swept.close();
  // A service whose clock is past the expiry sweeps as soon as it starts.
  const later = await startService(swept.environment, 61_000);
  try {
    await waitFor('the sweep', async () => (await blobs()).length === 1);
    assert.deepEqual(await blobs(), [kept.id]);
    await waitFor(
      'the row to go',
      async () => (await later.database.tables.uploads.byId(brief.id)) === undefined,
    );
    assert.equal((await fetch(`${later.origin}/f/${kept.slug}`)).status, 200);
  } finally {
    await later.stop();
    await rm(swept.config.dataDir, { recursive: true, force: true });
  }
});

async function assertGone(url: string): Promise<void> {
  const plain = await get({}, url);
  assert.equal(plain.status, 404);
  assert.equal(plain.headers.get('cache-control'), 'no-store');
  assert.equal((JSON.parse(plain.body.toString()) as { error: { code: string } }).error.code, 'not_found');
  const page = await get({ accept: 'text/html,*/*' }, url);
  assert.equal(page.status, 404);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.match(page.body.toString(), /Nothing here/);
  assert.doesNotMatch(page.body.toString(), /og:/);
}
