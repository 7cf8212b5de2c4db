// The body of a version 2 render: JSON up to its limit, forms with files, and what is left of them afterwards. Spec 10.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { checkFileName, fileTypeOf } from '#api/v2/file-names.ts';
import { RenderRequest } from '#api/v2/schemas.ts';
import { limitStructure } from '#http/body/json-structure.ts';
import { validateGiven } from '#http/body/validate.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let site: PageServer;
let key: string;
before(async () => {
  site = await startPageServer();
  service = await startService({ EGRESS_ALLOW: site.host });
  ({ key } = await service.newKey());
});
after(async () => {
  await service.stop();
  await site.close();
});

interface Failure {
  error: { code: string; message: string; field?: string };
}

async function send(body: string | FormData, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.origin}/api/v2/renders`, {
    method: 'POST',
    body,
    headers: {
      ...bearer(key),
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    error: (isJson ? (JSON.parse(bytes.toString()) as Failure).error : undefined)!,
  };
}

type File = [name: string, bytes: string | Buffer, type?: string];
function form(request: object | undefined, files: File[] = []): FormData {
  const made = new FormData();
  for (const [name, bytes, type = ''] of files)
    made.append('file', new Blob([new Uint8Array(Buffer.from(bytes))], { type }), name);
  if (request) made.append('request', JSON.stringify(request));
  return made;
}

const spooled = (): Promise<string[]> => readdir(join(service.config.blobsDir, 'renders', 'spool'));
const small = { width: 320, height: 320 };

/** The colour in the middle of a picture. */
async function colourOf(bytes: Buffer): Promise<number[]> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * 3;
  return [...data.subarray(at, at + 3)];
}

test('a document of 2 MiB is taken, escaped as Python and PHP do', async () => {
  const html = `<!--${'я'.repeat(1_048_570)}--><p>`;
  assert.ok(Buffer.byteLength(html) > 2_097_140);
  const body = JSON.stringify({ html, viewport: small }).replaceAll('я', String.raw`\u044f`);
  assert.ok(Buffer.byteLength(body) > 6_000_000);
  const { status, error } = await send(body);
  assert.equal(status, 200, error?.message);
});

test('too many bytes of a field are a 422 that names it, of the body a 413', async () => {
  const field = await send(JSON.stringify({ html: 'x'.repeat(2_097_153) }));
  assert.deepEqual([field.status, field.error.field], [422, 'html']);
  const body = await send(JSON.stringify({ html: 'x'.repeat(8 * 1024 * 1024) }));
  assert.deepEqual([body.status, body.error.code, body.error.field], [413, 'request_too_large', 'body']);
  assert.deepEqual(await spooled(), []);
});

test('a body of brackets is refused before it is parsed', async () => {
  const { status, error } = await send('['.repeat(100_000));
  assert.deepEqual([status, error.field], [422, 'body']);
  assert.match(error.message, /more than 10000 brackets/);
});

test('a large document is rendered like a small one, also in a form, in Markdown, and when it is queued', async () => {
  const filling = ' '.repeat(100_000);
  const red = `<body style="background:#f00">${filling}`;
  const html = await send(JSON.stringify({ html: red, viewport: small }));
  assert.deepEqual(await colourOf(html.bytes), [255, 0, 0]);
  const inForm = await send(
    form({ html: `<img src="a.svg">${red}`, viewport: small }, [['a.svg', '<svg/>']]),
  );
  assert.deepEqual(await colourOf(inForm.bytes), [255, 0, 0]);
  const text = await send(JSON.stringify({ markdown: `# Ü\u0001b\n${filling}\n- **x**`, format: 'text' }));
  assert.match(text.bytes.toString(), /Ü.?b\s+x/);

  const queued = await send(JSON.stringify({ html: red, viewport: small, async: true }));
  assert.equal(queued.status, 202, queued.error?.message);
  const { id } = JSON.parse(queued.bytes.toString()) as { id: string };
  const ended = await fetch(`${service.origin}/api/v2/renders/${id}?wait=30`, { headers: bearer(key) });
  const { outputs } = (await ended.json()) as { outputs: { url: string }[] };
  const file = await fetch(service.origin + new URL(outputs[0]!.url).pathname);
  assert.deepEqual(await colourOf(Buffer.from(await file.arrayBuffer())), [255, 0, 0]);
  assert.deepEqual(await spooled(), []);
});

test('what is wrong with a large request is said as of a small one', async () => {
  const html = 'x'.repeat(100_000);
  const rows: [string | FormData, field: string, message: RegExp][] = [
    [`{"html":"${html}"`, 'body', /^body: malformed JSON/],
    [JSON.stringify({ html, markdown: html }), 'markdown', /cannot be combined with html/],
    [JSON.stringify({ html, url: 'https://example.com/' }), 'html', /cannot be combined with url/],
    [JSON.stringify({ html, base_url: 5 }), 'base_url', /must be/],
    [JSON.stringify({ html, markdwn: '', viewport: 1 }), 'markdwn', /did you mean "markdown"/],
    [form({ html, color_scheme: 'red' }, [['a.png', 'x']]), 'color_scheme', /one of light, dark, not "red"/],
  ];
  for (const [body, field, message] of rows) {
    const { status, error } = await send(body);
    assert.deepEqual([status, error.field], [422, field], error.message);
    assert.match(error.message, message);
  }
  assert.deepEqual(await spooled(), []);
});

test('a large request is equal to one that is spaced otherwise, and to no other', async () => {
  const html = `<p>${'x'.repeat(100_000)}`;
  const ask = (body: string) => send(body, { 'idempotency-key': 'spaces' });
  assert.equal((await ask(JSON.stringify({ html, viewport: small }))).status, 200);
  const spaced = await ask(JSON.stringify({ html, viewport: small }, null, 4));
  assert.equal(spaced.headers.get('idempotent-replayed'), 'true');
  assert.equal((await ask(JSON.stringify({ html: `${html}y`, viewport: small }))).status, 422);
  assert.equal((await ask(JSON.stringify({ html, viewport: small, css: 'p{}' }))).status, 422);
});

test('ten unknown fields with names of 700 KB are not read once for each known field', () => {
  const names = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`${'É'.repeat(350_000)}${index}`, 1]),
  );
  const before = process.cpuUsage();
  for (let round = 0; round < 10; round += 1)
    assert.throws(() => validateGiven(RenderRequest, names), /unknown field; the fields are url, html/);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms of processor time`);
});

test('brackets in strings do not count', () => {
  const text = Buffer.from(String.raw`{"a":"[[[\"[[[\\","b":[1,"\\\""]}`);
  limitStructure(text, 6);
  assert.throws(() => limitStructure(text, 5), /more than 5 brackets/);
});

test('a form: the page finds its files under their names, and nothing is left of them', async () => {
  const request = {
    html: '<!doctype html><link rel="stylesheet" href="css/page.css"><div></div>',
    viewport: small,
  };
  const { status, bytes, error } = await send(
    form(request, [
      // As curl declares it.
      [
        'css/page.css',
        'div{position:fixed;inset:0;background:url("../img/a%20b.png")}',
        'application/octet-stream',
      ],
      [
        'img/a b.png',
        await sharp({ create: { width: 9, height: 9, channels: 3, background: '#f00' } })
          .png()
          .toBuffer(),
      ],
    ]),
  );
  assert.equal(status, 200, error?.message);
  assert.deepEqual(await colourOf(bytes), [255, 0, 0]);
  assert.deepEqual(await spooled(), []);
});

test('a form that is not right is refused, and nothing is left of it', async () => {
  const request = { html: '<p>' };
  const large = 'x'.repeat(300 * 1024);
  const rows: [FormData, field: string, message: RegExp][] = [
    [form(undefined), 'request', /missing/],
    [form({ url: 'https://example.com/' }, [['a.png', 'x']]), 'file', /go with html or markdown/],
    [form(request, [['../a.png', large]]), 'file', /\.\./],
    [
      form(request, [
        ['a.png', large],
        ['a.png', 'y'],
      ]),
      'file',
      /twice/,
    ],
    [form({ html: 5 }, [['a.png', large]]), 'html', /must be a string/],
    [
      form(
        request,
        Array.from({ length: 51 }, (_, index): File => [`${index}.png`, 'x']),
      ),
      'file',
      /more than 50/,
    ],
  ];
  const twice = form(request);
  twice.append('request', '{}');
  const unknown = form(request);
  unknown.append('files', 'x');
  const malformed = form(undefined);
  malformed.append('request', '{"html":');
  const plain = form(request);
  plain.append('file', 'not a file');
  rows.push(
    [twice, 'request', /more than once/],
    [unknown, 'files', /unknown field; the fields are request, file/],
    [malformed, 'request', /malformed JSON/],
    [plain, 'file', /no name/],
  );
  for (const [body, field, message] of rows) {
    const { status, error } = await send(body);
    assert.deepEqual([status, error.field], [422, field], error.message);
    assert.match(error.message, message);
  }
  const many = form(request, [
    ['a.bin', Buffer.alloc(11 << 20)],
    ['b.bin', Buffer.alloc(10 << 20)],
  ]);
  const { status, error } = await send(many);
  assert.deepEqual([status, error.code, error.field], [413, 'request_too_large', 'file']);
  assert.match(
    (await send('x', { 'content-type': 'multipart/form-data; boundary=b' })).error.message,
    /malformed/,
  );
  assert.deepEqual(await spooled(), []);
});

test('the files belong to what an Idempotency-Key stands for', async () => {
  const ask = (content: string) =>
    send(form({ html: '<p>', viewport: small }, [['a.txt', content]]), { 'idempotency-key': 'files' });
  assert.equal((await ask('one')).status, 200);
  assert.equal((await ask('one')).headers.get('idempotent-replayed'), 'true');
  assert.equal((await ask('two')).status, 422);
});

test('repeats with large bodies do not wait in memory by the hundred', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  site.route('/slow.js', (_request, response) => {
    ask();
    void released.then(() => response.end());
  });
  const body = JSON.stringify({ html: `<script src="${site.base}/slow.js"></script>`, viewport: small });
  // Two of them are more than what may wait.
  const large = body + ' '.repeat(7_000_000);
  const headers = { 'idempotency-key': 'large' };
  const first = send(body, headers);
  await asked;
  const repeats = [send(large, headers), send(large, headers)];
  const refused = await Promise.race(repeats);
  assert.deepEqual([refused.status, refused.error.code], [429, 'rate_limited']);
  release();
  const statuses = (await Promise.all([first, ...repeats])).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 200, 429],
  );
});

test('names of files', () => {
  for (const [given, name] of [
    ['logo.png', 'logo.png'],
    ['img/a b.png', 'img/a%20b.png'],
    ['img/a%20b.png', 'img/a%20b.png'],
    ['100%.png', '100%25.png'],
    ['Köln/ü.css', 'K%C3%B6ln/%C3%BC.css'],
    ['a..b/c...', 'a..b/c...'],
  ] as const)
    assert.equal(checkFileName(given), name);
  const wrong = [
    undefined,
    '',
    '..',
    '../a',
    'a/../b',
    'a/%2E%2e/b',
    './a',
    '/a',
    '//host/a',
    'a//b',
    'a/',
    'https://host/a',
    'data:a',
    'C:\\a.png',
    'a\\b',
    'a?b',
    'a#b',
    'a\0',
    'a\nb',
    'x'.repeat(501),
  ];
  for (const name of wrong)
    assert.throws(() => checkFileName(name), /^ServiceError: file: .*relative name/s, name);
});

test('types of files: by name, else as declared', () => {
  assert.equal(fileTypeOf('a.css', 'application/octet-stream'), 'text/css; charset=utf-8');
  assert.equal(fileTypeOf('a.WOFF2', ''), 'font/woff2');
  assert.equal(fileTypeOf('a', 'text/csv'), 'text/csv');
  assert.equal(fileTypeOf('a.constructor', 'x\r\ny'), 'application/octet-stream');
});
