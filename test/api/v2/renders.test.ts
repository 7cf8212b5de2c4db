// /api/v2/renders over HTTP: bytes and receipts, reading, listing, deleting, repeats, scopes and the envelope of errors. Spec 10.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import type { Render } from '#api/v2/schemas.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer, type Answer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let site: PageServer;
let page: string;
/** Where nothing listens any more. */
let closed: string;
let key: string;
let accountId: string;

before(async () => {
  site = await startPageServer({
    '/': '<!doctype html><title>Hello</title><body style="background:#fc0"><h1>Hello</h1>',
  });
  const brief = await startPageServer();
  closed = brief.host;
  await brief.close();
  service = await startService({
    EGRESS_ALLOW: `${site.host},${closed}`,
    PLANS_FILE: new URL('../../fixtures/plans.json', import.meta.url).pathname,
  });
  page = `${site.base}/`;
  ({ key, accountId } = await service.newKey());
});
after(async () => {
  await service.stop();
  await site.close();
});

interface Failure {
  error: Record<string, unknown> & { code: string; message: string };
}

async function call<T>(
  method: string,
  path: string,
  { body, headers = {}, as = key }: { body?: unknown; headers?: Record<string, string>; as?: string } = {},
): Promise<Answer<T> & { bytes: Buffer }> {
  const response = await fetch(`${service.origin}/api/v2${path}`, {
    method,
    headers: {
      ...bearer(as),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const isJson = method !== 'HEAD' && response.headers.get('content-type')?.startsWith('application/json');
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: (isJson ? JSON.parse(bytes.toString()) : undefined) as T,
  };
}
const render = <T = Render>(
  body: unknown,
  headers?: Record<string, string>,
  as?: string,
): Promise<Answer<T> & { bytes: Buffer }> =>
  call<T>('POST', '/renders', { body, ...(headers && { headers }), ...(as !== undefined && { as }) });

const receiptKeys = [
  'id',
  'state',
  'reference',
  'created_at',
  'finished_at',
  'expires_at',
  'cached',
  'units',
  'duration_ms',
  'timing',
  'page',
  'outputs',
  'warnings',
  'error',
];

test('10.1 by default: a PNG of 1440 x 900 as bytes, with the headers of both versions', async () => {
  const { status, headers, bytes } = await render({ url: page });
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'image/png');
  const { format, width, height } = await sharp(bytes).metadata();
  assert.deepEqual([format, width, height], ['png', 1440, 900]);
  assert.match(headers.get('x-service-id') ?? '', /^\w{20}$/);
  assert.match(headers.get('x-service-duration-ms') ?? '', /^\d+$/);
  assert.equal(headers.get('x-service-cache'), 'miss');
  assert.equal(headers.get('x-service-page-status'), '200');
  assert.equal(headers.get('x-service-warnings'), '0');
  assert.equal(headers.get('x-service-quota-limit'), '100000');
  assert.match(headers.get('server-timing') ?? '', /capture;dur=/);
  // Its receipt is kept, and says that nothing is hosted.
  const { body } = await call<Render>('GET', `/renders/${headers.get('x-service-id')}`);
  assert.deepEqual(
    [body.state, body.outputs[0]?.url, body.outputs[0]?.size_bytes],
    ['succeeded', null, bytes.length],
  );
});

test('10.6 as JSON: the receipt, and the same again from GET, until it is deleted', async () => {
  const { status, body } = await render({
    url: `${page}?secret=1#top`,
    response: 'json',
    format: 'jpeg',
    expires_in: 3600,
    reference: 'order 7',
  });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), receiptKeys);
  const { id, created_at, finished_at, expires_at, duration_ms, timing, outputs, ...rest } = body;
  assert.deepEqual(rest, {
    state: 'succeeded',
    reference: 'order 7',
    cached: false,
    units: 1,
    page: {
      source: 'url',
      url: page,
      final_url: page,
      status: 200,
      title: 'Hello',
      width: 1440,
      height: 900,
    },
    warnings: [],
    error: null,
  });
  const [created, finished, expires] = [created_at, finished_at!, expires_at!].map((time) =>
    Date.parse(time),
  );
  assert.ok(created! <= finished! && expires === finished! + 3_600_000);
  assert.equal(typeof duration_ms, 'number');
  assert.deepEqual(Object.keys(timing), ['queue_ms', 'load_ms', 'settle_ms', 'capture_ms', 'store_ms']);
  const [output] = outputs;
  assert.deepEqual(output, {
    format: 'jpeg',
    url: `http://tintype.test/s/${id}`,
    content_type: 'image/jpeg',
    width: 1440,
    height: 900,
    pages: null,
    size_bytes: output?.size_bytes,
    sha256: output?.sha256,
    truncated: false,
    difference: null,
    changed_box: null,
    text: null,
    data: null,
  });

  assert.deepEqual((await call('GET', `/renders/${id}?wait=30`)).body, body);
  const { body: list } = await call<{ items: Render[]; next_cursor: null }>(
    'GET',
    `/renders?reference=${encodeURIComponent('order 7')}`,
  );
  assert.deepEqual(list, { items: [body], next_cursor: null });
  const head = await call('HEAD', `/renders/${id}`);
  assert.deepEqual([head.status, head.bytes.length], [200, 0]);

  // Nobody else finds or deletes it.
  const { key: other } = await service.newKey();
  assert.equal((await call('GET', `/renders/${id}`, { as: other })).status, 404);
  assert.equal((await call('DELETE', `/renders/${id}`, { as: other })).status, 404);
  assert.equal((await fetch(`${service.origin}/s/${id}`)).status, 200);

  const deleted = await call('DELETE', `/renders/${id}`);
  assert.deepEqual([deleted.status, deleted.body], [200, { id, deleted: true }]);
  assert.equal((await call('GET', `/renders/${id}`)).status, 404);
  assert.equal((await call('DELETE', `/renders/${id}`)).status, 404);
  assert.equal((await fetch(`${service.origin}/s/${id}`)).status, 404);
});

test('10.3 several outputs of one load', async () => {
  const before = site.seen.length;
  const { status, body } = await render({
    url: page,
    response: 'json',
    outputs: [
      { format: 'webp', full_page: true },
      { format: 'pdf', paper_format: 'a4' },
    ],
  });
  assert.equal(status, 200);
  assert.deepEqual(
    body.outputs.map(({ format, url, pages }) => [format, url, pages]),
    [
      ['webp', `http://tintype.test/s/${body.id}`, null],
      ['pdf', `http://tintype.test/p/${body.id}-1`, 1],
    ],
  );
  assert.equal(body.units, 2);
  assert.deepEqual(site.seen.slice(before).filter((line) => line === 'GET /').length, 1);
});

test('10.2 a document of the request, without an address of its own', async () => {
  const { body } = await render({
    html: '<title>Invoice</title><p>Total: 7',
    viewport: { width: 400, height: 320 },
    response: 'json',
  });
  assert.deepEqual(body.page, {
    source: 'html',
    url: null,
    final_url: null,
    status: null,
    title: 'Invoice',
    width: 400,
    height: 320,
  });
  assert.deepEqual([body.outputs[0]?.width, body.outputs[0]?.height], [400, 320]);
  const bytes = await render({ html: '<p>Hello' });
  assert.equal(bytes.headers.get('x-service-page-status'), null);
});

test('10.3 extracts: text and data in the receipt, also from GET; one unit; HTML as bytes is an attachment', async () => {
  const outputs = ['text', 'html', 'metadata'].map((format) => ({ format }));
  const { body } = await render({ url: page, response: 'json', outputs });
  const [text, html, metadata] = body.outputs;
  assert.deepEqual([text?.text?.trim(), text?.data, body.units], ['Hello', null, 1]);
  assert.match(html?.text ?? '', /<h1>Hello<\/h1>/);
  assert.deepEqual([metadata?.text, metadata?.data?.['title']], [null, 'Hello']);
  assert.deepEqual((await call('GET', `/renders/${body.id}`)).body, body);
  const { body: list } = await call<{ items: Render[] }>('GET', '/renders?limit=1');
  assert.deepEqual(
    list.items[0]?.outputs.map((output) => [output.text, output.data]),
    outputs.map(() => [null, null]),
  );
  const bytes = await render({ url: page, format: 'html' });
  assert.equal(bytes.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(bytes.headers.get('content-disposition'), 'attachment');
  assert.equal(bytes.headers.get('content-security-policy'), 'sandbox');
});

test('10.1 the list: newest first, page by page', async () => {
  const { key: own } = await service.newKey();
  const ids: string[] = [];
  for (const reference of ['a', 'b', 'a']) {
    const { body } = await render({ html: '<p>', reference, response: 'json' }, undefined, own);
    ids.unshift(body.id);
  }
  interface Page {
    items: Render[];
    next_cursor: string | null;
  }
  const read = async (query: string) => (await call<Page>('GET', `/renders${query}`, { as: own })).body;
  const first = await read('?limit=2');
  const second = await read(`?limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual(
    [...first.items, ...second.items].map(({ id }) => id),
    ids,
  );
  assert.equal(second.next_cursor, null);
  assert.deepEqual(
    (await read('?reference=a')).items.map(({ id }) => id),
    [ids[0], ids[2]],
  );
});

test('10.1 a query that is not right names its field', async () => {
  for (const [query, field] of [
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?cursor=x', 'cursor'],
    ['?reference=', 'reference'],
    ['?limits=1', 'limits'],
    ['/4kXqW0cJ8hTzR2mLpVaN?wait=31', 'wait'],
    ['/4kXqW0cJ8hTzR2mLpVaN?wait=soon', 'wait'],
  ] as const) {
    const { status, body } = await call<Failure>('GET', `/renders${query}`);
    assert.deepEqual([status, body.error.field], [422, field], query);
  }
});

describe('10.7 errors', () => {
  const keysOf = ({ error }: Failure) => Object.keys(error);

  test('a field: its name, and that a repeat does not help', async () => {
    const { status, headers, body } = await render<Failure>({ url: page, outputs: [{ quality: 5 }] });
    assert.equal(status, 422);
    assert.deepEqual(body, {
      error: {
        code: 'validation_error',
        message: 'outputs[0].quality: does not fit png, only jpeg, webp; leave it out or change format',
        field: 'outputs[0].quality',
        retryable: false,
        request_id: headers.get('x-request-id'),
      },
    });
  });

  test('everything under /api/v2/ has the envelope', async () => {
    const { key: uploads } = await service.accounts.createKey((await service.newKey()).email, 'uploads', {
      scope: 'uploads',
    });
    const rows: [status: number, code: string, answer: Promise<{ status: number; body: Failure }>][] = [
      [404, 'not_found', call('GET', '/nothing')],
      [404, 'not_found', call('GET', '/renders/')],
      [404, 'not_found', call('GET', '/renders/4kXqW0cJ8hTzR2mLpVaN')],
      [404, 'not_found', call('GET', '/renders/%00')],
      [405, 'method_not_allowed', call('PUT', '/renders')],
      [405, 'method_not_allowed', call('POST', '/renders/4kXqW0cJ8hTzR2mLpVaN')],
      [401, 'unauthorized', call('GET', '/renders', { as: 'tt_wrong' })],
      [403, 'forbidden', call('POST', '/renders', { body: { url: page }, as: uploads })],
      [403, 'forbidden', call('DELETE', '/renders/4kXqW0cJ8hTzR2mLpVaN', { as: uploads })],
      [422, 'validation_error', render('{"basic_auth":{"password":"secret"}')],
      [422, 'validation_error', render('secret')],
      [422, 'validation_error', render('')],
      [422, 'validation_error', render([])],
      [422, 'validation_error', render({ url: page }, { 'content-type': 'text/plain' })],
      [422, 'validation_error', render({ url: page }, { 'content-encoding': 'gzip' })],
      [422, 'validation_error', render({ url: page }, { 'idempotency-key': ' ' })],
      [422, 'validation_error', render({ url: 'http://127.0.0.1:1/' })],
      [422, 'validation_error', render({ html: '<p>', base_url: 'http://10.0.0.1/' })],
    ];
    for (const [status, code, answer] of rows) {
      const { status: given, body } = await answer;
      assert.deepEqual([given, body.error?.code], [status, code]);
      assert.deepEqual(
        keysOf(body).filter((name) => name !== 'field'),
        ['code', 'message', 'retryable', 'request_id'],
      );
      assert.equal(body.error['retryable'], false);
      assert.ok(!JSON.stringify(body).includes('secret'), body.error.message);
    }
    // In version 1, a key of another scope is still unauthorized.
    const first = await fetch(`${service.origin}/api/v1/screenshot`, {
      method: 'POST',
      headers: bearer(uploads),
    });
    assert.equal(first.status, 401);
    assert.deepEqual(keysOf((await first.json()) as Failure), ['code', 'message']);
  });

  test('a page that fails: the reason, nothing metered, and a receipt of the failure', async () => {
    const { key: own, accountId: account } = await service.newKey();
    const rows: [fields: object, field: string, reason: string, retryable: boolean][] = [
      [{ url: `http://${closed}/` }, 'url', 'unreachable', true],
      [{ url: page, selector: '#never' }, 'selector', 'selector_missing', false],
    ];
    for (const [fields, field, reason, retryable] of rows) {
      const { status, body } = await render<Failure>({ ...fields, reference: reason }, undefined, own);
      assert.equal(status, 502);
      const { message, request_id, ...told } = body.error;
      assert.deepEqual(told, { code: 'render_failed', field, reason, retryable });
      assert.ok(message.startsWith(`${field}: `), message);
      const { body: list } = await call<{ items: Render[] }>('GET', `/renders?reference=${reason}`, {
        as: own,
      });
      const [failed] = list.items;
      assert.deepEqual(Object.keys(failed!), receiptKeys);
      assert.deepEqual([failed?.state, failed?.units, failed?.outputs], ['failed', 0, []]);
      assert.deepEqual(failed?.error, { ...told, message, request_id });
    }
    const month = new Date().toISOString().slice(0, 7);
    const used = await service.database.tables.usage.read({ accountId: account, unit: 'render', month });
    assert.equal(used.used, 0);
  });

  test('a spent quota and a spent budget', async () => {
    const { key: poor } = await service.newKey({ plan: 'two-uploads' });
    const both = { html: '<p>', response: 'json', outputs: [{}, {}, { format: 'pdf' }] };
    const { status, headers, body } = await render<Failure>(both, undefined, poor);
    assert.deepEqual([status, body.error.code, body.error['retryable']], [402, 'quota_exceeded', false]);
    assert.equal(headers.get('x-service-quota-remaining'), '0');
    service.clock.hold();
    const { key: slow } = await service.newKey({ plan: 'three-a-minute' });
    for (let count = 0; count < 3; count += 1) await call('GET', '/renders', { as: slow });
    const limited = await call<Failure>('GET', '/renders', { as: slow });
    assert.deepEqual([limited.status, limited.body.error['retryable']], [429, true]);
    assert.match(limited.headers.get('retry-after') ?? '', /^\d+$/);
  });
});

describe('10.5 Idempotency-Key', () => {
  test('a repeat gets the same receipt; other secrets are another request; nothing is stored in clear', async () => {
    const headers = { 'idempotency-key': 'v2-1' };
    const body = (password: string) => ({
      url: page,
      response: 'json',
      headers: { 'x-token': `token-${password}` },
      basic_auth: { username: 'me', password },
      outputs: [{ format: 'pdf', password, header: `token-${password}`, margin: { top: 50 } }],
    });
    const first = await render(body('hunter2'), headers);
    const second = await render(body('hunter2'), headers);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    const other = await render<Failure>(body('hunter3'), headers);
    assert.deepEqual([other.status, other.body.error.field], [422, 'Idempotency-Key']);
    const row = await service.database.tables
      .ownedBy(accountId)
      .renders.byId(first.body.id, service.clock.now());
    assert.ok(row && !/hunter|token-/.test(JSON.stringify(row)));
    assert.ok(!service.logLines().some((line) => /hunter|token-/.test(JSON.stringify(line))));
  });

  test('a repeat gets the texts of the render as long as there are any', async () => {
    const headers = { 'idempotency-key': 'v2-3' };
    const body = { html: '<p>once', response: 'json', outputs: [{ format: 'text' }, { format: 'metadata' }] };
    const first = await render(body, headers);
    assert.deepEqual(
      first.body.outputs.map(({ text, data }) => [text === null, data === null]),
      [
        [false, true],
        [true, false],
      ],
    );
    assert.deepEqual((await render(body, headers)).body, first.body);
    await call('DELETE', `/renders/${first.body.id}`);
    const outputs = first.body.outputs.map((output) => ({ ...output, text: null, data: null }));
    assert.deepEqual((await render(body, headers)).body, { ...first.body, outputs });
  });

  test('a repeat gets the same bytes', async () => {
    const headers = { 'idempotency-key': 'v2-2' };
    const first = await render({ html: '<p>same' }, headers);
    const second = await render({ html: '<p>same' }, headers);
    assert.deepEqual([first.status, second.headers.get('idempotent-replayed')], [200, 'true']);
    assert.deepEqual(second.bytes, first.bytes);
    assert.equal(second.headers.get('x-service-cache'), 'miss');
    assert.equal((await render({ html: '<p>other' }, headers)).status, 422);
  });
});
