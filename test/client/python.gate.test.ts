// The Python client, by the machine's python3: the retry table of the TypeScript client, and every call against a real service.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { version } from '#client/version.ts';
import { png } from '#test/support/images.ts';
import { root } from '#test/support/processes.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { skip, startPython, stopPython, type Call, type Python } from './python.ts';
import { final, persisting, reset, succeeding } from './retry-cases.ts';
import { json, page, picture, refusal, startFaultServer, type FaultServer } from './support.ts';

const bytes = (text: string) => ({ bytes: Buffer.from(text).toString('base64') });

const screenshot: Call = { method: 'screenshot', args: ['https://example.com/'] };

suite('against a server that fails', { skip }, () => {
  let server: FaultServer;
  let python: Python;
  before(async () => {
    server = await startFaultServer();
    python = startPython({ TINTYPE_URL: `${server.origin}/`, TINTYPE_API_KEY: 'tt_secret' });
  });
  after(async () => {
    await stopPython(python);
    await server.stop();
  });
  const keys = () => new Set(server.seen.map(({ idempotencyKey }) => idempotencyKey));

  for (const { title, faults, waits } of succeeding) {
    test(`7 ${title}`, async () => {
      server.play(...faults);
      const outcome = await python.call(screenshot);
      assert.deepEqual(outcome.waits, waits);
      const { id, data, content_type, duration_ms, meta } = outcome.result ?? {};
      assert.deepEqual(
        [id, Buffer.from(String(data), 'base64').toString(), content_type, duration_ms],
        ['cap_1', 'picture', 'image/png', 412],
      );
      assert.equal((meta as { attempts: number }).attempts, faults.length);
      assert.equal(server.seen.length, faults.length);
      assert.match([...keys()].join(), /^[0-9a-f]{32}$/);
      assert.ok(outcome.timeouts.every((seconds) => seconds === 105));
    });
  }

  for (const { status, code } of final) {
    test(`7 ${status} ${code} is never retried`, async () => {
      server.play(refusal(status, code, { 'retry-after': '1' }));
      const { error = {}, waits } = await python.call(screenshot);
      assert.deepEqual(
        [error['code'], error['status'], error['attempts'], error['message'], error['request_id'], waits],
        [code, status, 1, `told: ${code}`, 'req-1', []],
      );
      assert.equal(error['is_retryable'], false);
      const { rate_limit } = error['meta'] as { rate_limit: object };
      assert.deepEqual(rate_limit, { limit: 120, remaining: 7, reset_seconds: 31 });
      assert.equal(server.seen.length, 1);
    });
  }

  for (const { title, fault, code, waits } of persisting) {
    test(`7 ${title}, and it persists: stops with ${code}`, async () => {
      server.play(fault);
      const outcome = await python.call(screenshot);
      assert.equal(outcome.error?.['code'], code);
      assert.deepEqual(outcome.waits, waits);
      assert.equal(server.seen.length, waits.length + 1);
      assert.doesNotMatch(JSON.stringify(outcome), /tt_secret/);
    });
  }

  test('7 an answer that stops in its middle runs into the deadline of its attempt, and is asked for at most twice more', async () => {
    server.play((response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' });
      response.write('p');
    });
    const { error, waits } = await python.call({ ...screenshot, options: { timeout: 0.5 } });
    assert.deepEqual([error?.['code'], error?.['attempts'], waits], ['timeout', 3, [750, 1500]]);
  });

  test('7 the deadline is that of the whole answer, however often a byte comes', async () => {
    server.play((response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '100000' });
      const timer = setInterval(() => response.write('p'), 50);
      response.once('close', () => clearInterval(timer));
    });
    const { error } = await python.call({ ...screenshot, options: { timeout: 0.5 } });
    assert.equal(error?.['code'], 'timeout');
  });

  test('every call has its own time-out, and 0 is none', async () => {
    server.play(refusal(422, 'validation_error'));
    const cases: [call: Call, seconds: number | null][] = [
      [{ method: 'pdf', args: ['https://x.test'] }, 120],
      [{ method: 'upload', args: [bytes('a')] }, 300],
      [{ method: 'upload_batch', args: [[bytes('a')]] }, 300],
      [{ ...screenshot, options: { timeout: 0 } }, null],
      [{ ...screenshot, options: { timeout: 7 } }, 7],
    ];
    for (const [call, seconds] of cases) assert.deepEqual((await python.call(call)).timeouts, [seconds]);
  });

  test('7 a retried upload sends the same bytes under the same Idempotency-Key, from bytes and from a stream', async () => {
    const uploaded = json(201, { id: 'up_1', slug: 'abc', file_url: 'http://x/f/abc', expires_at: null });
    for (const kind of ['bytes', 'stream']) {
      server.play(reset, page(503), uploaded);
      const file = { named: ['a"b\r\n.png', { [kind]: Buffer.from('image').toString('base64') }] };
      const { result } = await python.call({ method: 'upload', args: [file], options: { expires_in: 60 } });
      assert.deepEqual([result?.['id'], result?.['file_url']], ['up_1', 'http://x/f/abc']);
      const [first, ...others] = server.seen;
      assert.equal(others.length, 2);
      assert.ok(others.every(({ body }) => first?.body.equals(body)));
      assert.equal(keys().size, 1);
      assert.match(first?.body.toString() ?? '', /filename="a%22b%0D%0A\.png"\r\n[^]*\r\n\r\nimage\r\n--/);
    }
  });

  test('two calls have two keys; one that is given is used; requests name the client and its version', async () => {
    server.play(picture);
    await python.call(screenshot);
    await python.call(screenshot);
    await python.call({ ...screenshot, options: { idempotency_key: 'mine' } });
    assert.equal(keys().size, 3);
    assert.ok(keys().has('mine'));
    assert.deepEqual(JSON.parse(server.seen[2]?.body.toString() ?? ''), { url: 'https://example.com/' });
    assert.equal(server.seen[0]?.headers['user-agent'], `tintype-python/${version}`);
  });

  test('4.2.5 a batch of which every file failed is a result; with 500 it is tried again first', async () => {
    const told = (code: string) => ({
      items: [{ ok: false, index: 0, source_filename: 'a.png', error: { code, message: 'no' } }],
      summary: { total: 1, succeeded: 0, failed: 1 },
    });
    const batch: Call = { method: 'upload_batch', args: [[bytes('a')]] };
    server.play(json(415, told('unsupported_type')));
    const refused = await python.call(batch);
    assert.deepEqual([refused.result?.['failed'], refused.waits], [1, []]);
    server.play(json(500, told('internal')));
    const failed = await python.call(batch);
    assert.deepEqual([failed.result?.['failed'], failed.waits], [1, [750, 1500, 3000, 6000]]);
  });

  test('a batch that was split and then failed has the outcomes that were known', async () => {
    const item = { ok: false, error: { code: 'unsupported_type', message: 'no' } };
    const items = Array.from({ length: 10 }, (_, index) => ({ ...item, index, source_filename: `${index}` }));
    server.play(json(415, { items }), refusal(402, 'quota_exceeded'));
    const files = Array.from({ length: 12 }, () => bytes('a'));
    const { error } = await python.call({ method: 'upload_batch', args: [files] });
    assert.deepEqual(
      [error?.['type'], (error?.['partial'] as object[] | undefined)?.length],
      ['QuotaExceededError', 10],
    );
    assert.deepEqual(
      server.seen.map(({ idempotencyKey }) => idempotencyKey.slice(-2)),
      ['-1', '-2'],
    );
  });

  test('each error is of its class', async () => {
    const cases: [status: number, code: string, type: string][] = [
      [401, 'unauthorized', 'AuthenticationError'],
      [402, 'quota_exceeded', 'QuotaExceededError'],
      [422, 'validation_error', 'RequestError'],
      [429, 'concurrency_limited', 'RateLimitError'],
      [502, 'capture_failed', 'RenderError'],
      [500, 'internal', 'UnavailableError'],
      [418, 'new_code', 'TintypeError'],
    ];
    for (const [status, code, type] of cases) {
      server.play(refusal(status, code));
      const { error } = await python.call({ ...screenshot, client: { max_retries: 0 } });
      assert.deepEqual([error?.['type'], error?.['is_tintype_error'], error?.['attempts']], [type, true, 1]);
      assert.equal(error?.['is_retryable'], status === 429 || status >= 500);
    }
  });

  test('on_retry is told of each wait and can refuse it', async () => {
    server.play(page(503));
    const { error, told } = await python.call({ ...screenshot, client: { stop_after: 2 } });
    assert.equal(error?.['attempts'], 2);
    assert.deepEqual(told, [
      ['unavailable', 1, 750],
      ['unavailable', 2, 1500],
    ]);
  });

  test('delete sends no key, and is done when an attempt whose answer was lost has done it', async () => {
    const remove: Call = { method: 'delete', args: ['https://other.test/api/uploads/up1/delete?token=abc'] };
    server.play(refusal(404, 'not_found'));
    assert.equal((await python.call(remove)).error?.['code'], 'not_found');
    server.play(reset, refusal(404, 'not_found'));
    assert.equal((await python.call(remove)).error, undefined);
    for (const { url, headers } of server.seen)
      assert.deepEqual([url, headers.authorization], ['/api/uploads/up1/delete?token=abc', undefined]);
  });

  test('a wrong argument is named, and nothing is sent', async () => {
    server.play(picture);
    const cases: [call: Call, says: RegExp][] = [
      [{ ...screenshot, client: { base_url: 'localhost:4300' } }, /base_url must begin with http/],
      [{ ...screenshot, client: { base_url: 'http://me:word@x.test' } }, /base_url must not contain a user/],
      [{ ...screenshot, client: { base_url: 'http://x.test/?a' } }, /base_url must not contain \? or #/],
      [{ ...screenshot, client: { api_key: 'tt_s p' } }, /^api_key must consist of printable/],
      [{ ...screenshot, client: { api_key: 'tt_s\n' } }, /^api_key must consist of printable/],
      [{ ...screenshot, client: { max_retries: -1 } }, /max_retries must be 0 or more/],
      [{ ...screenshot, options: { timeout: -1 } }, /timeout must be/],
      [{ ...screenshot, options: { idempotency_key: 'żółć' } }, /idempotency_key must have/],
      [{ ...screenshot, options: { fullpage: true } }, /fullpage/],
      [{ method: 'upload', args: [5] }, /a file is a path, bytes or a binary file object, not int/],
      [{ method: 'upload', args: [{ text: 'a' }] }, /open it with "rb"/],
      [{ method: 'upload_batch', args: ['photo.png'] }, /takes a list of files/],
      [{ method: 'delete', args: ['https://x.test/i/abc'] }, /delete takes an upload or its delete_url/],
    ];
    for (const [call, says] of cases) {
      const { error } = await python.call(call);
      assert.match(String(error?.['type']), /^(Type|Value)Error$/);
      assert.match(String(error?.['message']), says);
      assert.doesNotMatch(String(error?.['message']), /tt_s|word@/);
    }
    assert.equal(server.seen.length, 0);
  });

  test('the proxy of the environment is used, and no_proxy goes past it', async () => {
    const proxied = startPython({
      TINTYPE_URL: 'http://service.test/base/',
      TINTYPE_API_KEY: 'tt_secret',
      http_proxy: server.origin.replace('//', '//me:pass%20word@'),
    });
    try {
      server.play(picture);
      assert.equal((await proxied.call(screenshot)).error, undefined);
      const [request] = server.seen;
      assert.equal(request?.url, 'http://service.test/base/api/v1/screenshot');
      const login = Buffer.from('me:pass word').toString('base64');
      assert.equal(request?.headers['proxy-authorization'], `Basic ${login}`);
    } finally {
      await stopPython(proxied);
    }
    const direct = startPython({
      TINTYPE_URL: server.origin,
      TINTYPE_API_KEY: 'tt_secret',
      http_proxy: 'http://127.0.0.1:1',
      no_proxy: '127.0.0.1',
    });
    try {
      assert.equal((await direct.call(screenshot)).error, undefined);
    } finally {
      await stopPython(direct);
    }
  });
});

suite('against the service', { skip }, () => {
  let service: TestService;
  let site: PageServer;
  let folder: string;
  let python: Python;
  before(async () => {
    site = await startPageServer({ '/': '<!doctype html><h1>Hello</h1>' });
    service = await startService({ EGRESS_ALLOW: site.host });
    const { key } = await service.newKey();
    folder = await mkdtemp(join(tmpdir(), 'tintype-python-'));
    await writeFile(join(folder, 'photo.png'), await png());
    python = startPython({ TINTYPE_URL: service.origin, TINTYPE_API_KEY: key }, folder);
  });
  after(async () => {
    await stopPython(python);
    await rm(folder, { recursive: true, force: true });
    await service.stop();
    await site.close();
  });

  test('upload from a path, bytes and a stream, and delete', async () => {
    const data = (await png()).toString('base64');
    for (const file of [
      'photo.png',
      { named: ['photo.png', { bytes: data }] },
      { named: ['photo.png', { stream: data }] },
    ]) {
      const outcome = await python.call({ method: 'upload', args: [file], options: { expires_in: 3600 } });
      const { url, file_url, delete_url, filename, meta } = outcome.result ?? {};
      assert.match(String(url), /^http:\/\/tintype\.test\/i\//);
      assert.equal(filename, 'photo.png');
      assert.ok((meta as { quota: object | null }).quota);
      assert.doesNotMatch(outcome.repr ?? '', /token=/);
      const stored = service.origin + new URL(String(file_url)).pathname;
      assert.equal((await fetch(stored)).status, 200);
      assert.equal((await python.call({ method: 'delete', args: [delete_url] })).error, undefined);
      assert.equal((await fetch(stored)).status, 404);
    }
    const { error } = await python.call({ method: 'upload', args: ['nowhere.png'] });
    assert.deepEqual([error?.['type'], error?.['code']], ['RequestError', 'unreadable_file']);
  });

  test('a refusal that comes while a large body is still being sent is told', async () => {
    const large = { bytes: Buffer.alloc(9 * 1024 * 1024).toString('base64') };
    const { error } = await python.call({
      method: 'upload',
      args: [large],
      client: { api_key: 'tt_wrong', max_retries: 0 },
    });
    assert.equal(error?.['code'], 'unauthorized');
  });

  test('upload_batch of more than ten: a file that cannot be read or is too large is an item', async () => {
    const large = { bytes: Buffer.alloc(10 * 1024 * 1024 + 1).toString('base64') };
    const files = [...Array.from({ length: 11 }, () => 'photo.png'), 'nowhere.png', large];
    const { result, error } = await python.call({ method: 'upload_batch', args: [files] });
    assert.equal(error, undefined);
    assert.deepEqual([result?.['total'], result?.['succeeded'], result?.['failed']], [13, 11, 2]);
    const items = result?.['items'] as { index: number; error: { code: string } | null }[];
    assert.deepEqual(
      items.map(({ index }) => index),
      files.map((_, index) => index),
    );
    assert.deepEqual(
      items.slice(-2).map((item) => item.error?.code),
      ['unreadable_file', 'file_too_large'],
    );
  });

  test('screenshot and pdf: as bytes, into a file that is never replaced unasked, and as a hosted link', async () => {
    const shot: Call = {
      method: 'screenshot',
      args: [`${site.base}/`],
      options: { width: 400, height: 320, format: 'webp' },
    };
    const { saved, error } = await python.call({ ...shot, save: { path: 'page.webp' } });
    assert.equal(error, undefined);
    assert.equal(saved, 'page.webp');
    const { width, height, format } = await sharp(join(folder, 'page.webp')).metadata();
    assert.deepEqual([width, height, format], [400, 320, 'webp']);

    await writeFile(join(folder, 'kept.webp'), 'mine');
    const refused = await python.call({ ...shot, save: { path: 'kept.webp' } });
    assert.equal(refused.error?.['type'], 'FileExistsError');
    assert.equal(await readFile(join(folder, 'kept.webp'), 'utf8'), 'mine');
    await python.call({ ...shot, save: { path: 'kept.webp', overwrite: true } });
    assert.equal((await sharp(join(folder, 'kept.webp')).metadata()).format, 'webp');

    const printed = await python.call({
      method: 'pdf',
      args: [`${site.base}/`],
      options: { paper_format: 'a4', margin: { top: '1cm' }, wait_until: 'load' },
      save: { path: '.' },
    });
    assert.equal(printed.saved, `./${String(printed.result?.['id'])}.pdf`);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.endsWith('.part')),
      [],
    );

    const hosted = await python.call({
      method: 'hosted_screenshot',
      args: [`${site.base}/`],
      options: { width: 400 },
    });
    assert.match(String(hosted.result?.['url']), /^http:\/\/tintype\.test\/s\//);
    const document = await python.call({
      method: 'hosted_pdf',
      args: [`${site.base}/`],
      options: { wait_until: 'load' },
    });
    assert.match(String(document.result?.['url']), /^http:\/\/tintype\.test\/p\//);

    const queued = await python.call({
      method: 'queue_render',
      args: [`${site.base}/`],
      options: { format: 'text' },
    });
    const ended = await python.call({
      method: 'wait_for_render',
      args: [String(queued.result?.['id'])],
      options: {},
    });
    assert.deepEqual([queued.result?.['finished_at'], ended.result?.['state']], [null, 'succeeded']);
  });

  test('version 2: upload with a title, an album and tags; list, edit, delete and restore; usage and download', async () => {
    const ask = async (method: string, args: unknown[], options: Record<string, unknown> = {}) => {
      const { result, error } = await python.call({ method, args, options });
      assert.equal(error, undefined, JSON.stringify(error));
      return result as Record<string, unknown>;
    };
    const album = await ask('albums.create', [{ title: 'Sea' }]);
    const fields = { title: 'Harbour', tags: ['a', 'b'], album: album['id'], strip_metadata: false };
    const made = await ask('uploads.create', ['photo.png'], fields);
    assert.deepEqual(
      [made['title'], made['tags'], made['album'], made['metadata_removed']],
      ['Harbour', ['a', 'b'], album['id'], []],
    );
    assert.match(String(made['delete_url']), /token=/);
    const found = (await ask('uploads.list', [], { tag: 'b', limit: 1 }))['items'] as { id: string }[];
    assert.deepEqual(
      found.map(({ id }) => id),
      [made['id']],
    );
    assert.equal((await ask('uploads.edit', [made['id'], { title: null }]))['title'], null);
    const file = await ask('download', [made['file_url']]);
    assert.deepEqual(Buffer.from(String(file['data']), 'base64'), await readFile(join(folder, 'photo.png')));
    await ask('uploads.delete', [made['id']]);
    assert.equal(
      (await python.call({ method: 'uploads.get', args: [made['id']] })).error?.['code'],
      'not_found',
    );
    assert.equal((await ask('uploads.restore', [made['id']]))['id'], made['id']);
    const all = (await ask('uploads.all', [])) as unknown as { id: string }[];
    assert.ok(all.some(({ id }) => id === made['id']));
    const usage = await ask('usage', []);
    assert.ok((usage['upload'] as { used: number }).used > 0);
    const link = await python.call({ method: 'upload_links.create', args: [{ max_files: 2 }] });
    assert.equal(link.result?.['max_files'], 2);
    assert.ok(!link.repr?.includes(String(link.result?.['token'])));
    const { error } = await python.call({ method: 'uploads.create', args: [] });
    assert.match(String(error?.['message']), /either a file or the url/);
  });

  test('many at once, with threads and with asyncio: each source has its outcome', async () => {
    const program = `
import asyncio, sys
from tintype import Tintype
tintype = Tintype()
files = ["photo.png", "nowhere.png", "photo.png"]
def store(file: str):
    return tintype.uploads.create(file)
for outcome in tintype.each(store, files, concurrency=2):
    print(outcome.source, outcome.result.filename if outcome.ok else outcome.error.code)
async def main():
    print("usage", (await asyncio.to_thread(tintype.usage)).upload["used"] > 0)
    async for outcome in tintype.each_async(store, files[:2]):
        print("async", outcome.source, outcome.ok)
        if outcome.ok: break
asyncio.run(main())
`;
    // The service is in this process, so it must not wait for the end of the other.
    const { stdout } = await promisify(execFile)('python3', ['-c', program], {
      cwd: folder,
      env: python.environment,
    });
    const lines = stdout.trim().split('\n');
    assert.deepEqual(lines.slice(0, 3).toSorted(), [
      'nowhere.png unreadable_file',
      'photo.png photo.png',
      'photo.png photo.png',
    ]);
    assert.ok(lines.includes('usage True') && lines.includes('async photo.png True'));
  });
});

test(
  'many at once: a refused call waits and is repeated, a used-up quota ends the run',
  { skip },
  async () => {
    const program = `
import tintype
from tintype import RateLimitError, QuotaExceededError, Tintype
waits = []
tintype._sleep = waits.append
client = Tintype("http://127.0.0.1:1", "tt_x")
seen = {}
def call(name):
    seen[name] = seen.get(name, 0) + 1
    if name == "busy" and seen[name] < 3:
        raise RateLimitError("concurrency_limited", "no", status=429, retry_after=2.0)
    if name == "broke":
        raise QuotaExceededError("quota_exceeded", "no", status=402)
    return name.upper()
print(sorted(item.result for item in client.each(call, ["a", "busy", "b"])), waits)
try:
    for item in client.each(call, iter(["c", "broke", "d", "e"]), concurrency=1):
        print(item.source, item.ok)
except QuotaExceededError as error:
    print("ended", error.code)
`;
    const { stdout, stderr } = spawnSync('python3', ['-c', program], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        PYTHONPATH: join(root, 'clients/python'),
        PYTHONDONTWRITEBYTECODE: '1',
      },
    });
    assert.equal(stderr, '');
    assert.equal(stdout, "['A', 'B', 'BUSY'] [2.0, 2.0]\nc True\nbroke False\nended quota_exceeded\n");
  },
);

const mypy = spawnSync('mypy', ['--version'], { encoding: 'utf8' });

test(
  'mypy --strict finds nothing, in the module and in a program that uses it, and finds a wrong value',
  { skip: mypy.error ? 'mypy is not on this machine' : false },
  async () => {
    process.stdout.write(`# ${mypy.stdout}`);
    const place = await mkdtemp(join(tmpdir(), 'tintype-mypy-'));
    const program = `from typing import List
from tintype import Tintype

tintype = Tintype("http://x.test", "tt_x")
links: List[str] = [item.upload.url for item in tintype.upload_batch(["a.png"]).items if item.ok]
for outcome in tintype.each(lambda url: tintype.screenshot(url, format="webp"), ["https://x.test"]):
    print(outcome.result.save(".") if outcome.ok else outcome.error.code)
tintype.uploads.edit("id", {"title": None})
tags: List[str] = [tag for upload in tintype.uploads.all(album="a") for tag in upload.tags]
`;
    const check = (): string =>
      spawnSync(
        'mypy',
        [
          '--strict',
          '--cache-dir',
          join(place, 'cache'),
          join(root, 'clients/python/tintype.py'),
          join(place, 'use.py'),
        ],
        { encoding: 'utf8', cwd: place, env: { ...process.env, MYPYPATH: join(root, 'clients/python') } },
      ).stdout;
    try {
      await writeFile(join(place, 'use.py'), program);
      assert.match(check(), /^Success: no issues found in 2 source files/);
      await writeFile(join(place, 'use.py'), program.replace('"webp"', '"gif"').replace('None}', '5}'));
      assert.match(check(), /"format"[^]*"title"[^]*Found 2 errors/);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  },
);

test(
  'the module is written in the Python of 3.9, and has the version of the other clients',
  { skip },
  async () => {
    const file = join(root, 'clients/python/tintype.py');
    const { status, stderr } = spawnSync('python3', [
      '-c',
      'import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 9))',
      file,
    ]);
    assert.equal(status, 0, String(stderr));
    assert.ok((await readFile(file, 'utf8')).includes(`\n__version__ = "${version}"\n`));
  },
);
