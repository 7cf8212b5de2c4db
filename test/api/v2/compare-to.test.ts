// compare_to over HTTP: what has changed since an earlier picture of the account. v2 4.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RenderFailure } from '#browser/browser.ts';
import { changedPixels } from '#browser/page/picture/compare.ts';
import { toServiceError } from '#renders/render-failure.ts';
import type { Render } from '#api/v2/schemas.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let site: PageServer;
let key: string;
/** What the page shows at the moment. */
let square = '';

const view = { viewport: { width: 400, height: 400 } };
const page = () => `<!doctype html><body style="margin:0">${square}`;
const squareAt = (x: number, y: number) =>
  `<div style="position:absolute;left:${x}px;top:${y}px;width:40px;height:20px;background:#c80000"></div>`;

before(async () => {
  site = await startPageServer({
    '/': (_, response) => void response.setHeader('content-type', 'text/html').end(page()),
  });
  service = await startService({ EGRESS_ALLOW: site.host });
  ({ key } = await service.newKey());
});
after(async () => {
  await service.stop();
  await site.close();
});

interface Failure {
  error: { code: string; message: string; field: string };
}

interface Answered<T> {
  status: number;
  body: T;
  id: string;
}

async function render<T = Render>(fields: object, as = key, headers = {}): Promise<Answered<T>> {
  const response = await fetch(`${service.origin}/api/v2/renders`, {
    method: 'POST',
    headers: { ...bearer(as), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ url: `${site.base}/`, ...view, response: 'json', ...fields }),
  });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    id: response.headers.get('x-service-id') ?? '',
    body: (isJson ? JSON.parse(bytes.toString()) : undefined) as T,
  };
}

async function read(id: string): Promise<Render> {
  const response = await fetch(`${service.origin}/api/v2/renders/${id}`, { headers: bearer(key) });
  return (await response.json()) as Render;
}

const changeOf = ({ outputs: [output] }: Render) => [output?.difference, output?.changed_box];

test('a monitor: nothing has changed, then a part of the page has', async () => {
  square = '';
  const first = (await render({})).body;
  assert.deepEqual(changeOf(first), [null, null]);
  assert.deepEqual(changeOf((await render({ compare_to: first.id })).body), [0, null]);
  square = squareAt(100, 60);
  const changed = (await render({ compare_to: first.id })).body;
  const expected = [(40 * 20) / (400 * 400), { x: 100, y: 60, width: 40, height: 20 }];
  assert.deepEqual(changeOf(changed), expected);
  assert.deepEqual(changeOf(await read(changed.id)), expected);
});

test('pictures of several outputs are compared with those at the same places', async () => {
  square = squareAt(0, 0);
  const outputs = [
    { format: 'text' },
    { clip: { x: 0, y: 0, width: 100, height: 100 } },
    { format: 'webp', resize: { width: 200 } },
  ];
  const { id } = (await render({ outputs })).body;
  square = squareAt(20, 0);
  const { body } = await render({
    outputs: outputs.map((output, place) => (place === 0 ? output : { ...output, compare_to: id })),
  });
  const [text, clip, small] = body.outputs;
  assert.deepEqual([text?.difference, text?.changed_box], [null, null]);
  assert.deepEqual(clip?.changed_box, { x: 0, y: 0, width: 60, height: 20 });
  assert.ok(
    (small?.difference ?? 0) > 0 && (small?.changed_box?.width ?? 999) <= 40,
    JSON.stringify(small?.changed_box),
  );
});

test('bytes that are kept for a repeat can be compared with; the receipt says what has changed', async () => {
  square = '';
  const kept = await render({ response: 'file' }, key, { 'idempotency-key': 'kept-1' });
  square = squareAt(10, 10);
  const { id } = await render({ response: 'file', compare_to: kept.id });
  assert.deepEqual(changeOf(await read(id))[1], { x: 10, y: 10, width: 40, height: 20 });
});

test('refused, with nothing rendered and nothing paid', async () => {
  square = '';
  const hosted = (await render({})).body.id;
  const document = (await render({ format: 'pdf' })).body.id;
  const unstored = (await render({ response: 'file' })).id;
  const { key: stranger } = await service.newKey();
  const usage = async () =>
    (await (await fetch(`${service.origin}/api/v2/usage`, { headers: bearer(key) })).json()) as {
      render: { used: number };
    };
  const before = (await usage()).render.used;
  const refusals: [title: string, fields: object, field: string, message: RegExp, as?: string][] = [
    ['an unknown id', { compare_to: 'x'.repeat(20) }, 'compare_to', /a render of this account/],
    ['what is no id', { compare_to: '../etc' }, 'compare_to', /a render of this account/],
    ["another account's render", { compare_to: hosted }, 'compare_to', /a render of this account/, stranger],
    ['a PDF', { compare_to: document }, 'compare_to', /has no picture/],
    [
      'bytes that were not stored',
      { compare_to: unstored },
      'compare_to',
      /not stored; make it with "response": "json"/,
    ],
    [
      'in one of several outputs',
      { outputs: [{}, { compare_to: 'x'.repeat(20) }] },
      'outputs[1].compare_to',
      /a render of this account/,
    ],
    [
      'in a list of one output',
      { outputs: [{ compare_to: 'x'.repeat(20) }] },
      'outputs[0].compare_to',
      /a render of this account/,
    ],
    [
      'another size, in a list of one output',
      { outputs: [{ compare_to: hosted }], viewport: { width: 401, height: 400 } },
      'outputs[0].compare_to',
      /401 x 400 pixels and the earlier one 400 x 400/,
    ],
    [
      'another size',
      { compare_to: hosted, viewport: { width: 401, height: 400 } },
      'compare_to',
      /401 x 400 pixels and the earlier one 400 x 400/,
    ],
  ];
  for (const [title, fields, field, message, as] of refusals) {
    const { status, body } = await render<Failure>(fields, as);
    assert.deepEqual([status, body.error.code, body.error.field], [422, 'validation_error', field], title);
    assert.match(body.error.message, message, title);
  }
  assert.equal((await usage()).render.used, before);
});

test('one pixel counts, and its opacity too', () => {
  const size = { width: 3, height: 2 };
  const [before, now] = [Buffer.alloc(24, 255), Buffer.alloc(24, 255)];
  assert.deepEqual(changedPixels(now, before, size), { difference: 0, box: null });
  now[(1 * 3 + 2) * 4 + 3] = 254;
  assert.deepEqual(changedPixels(now, before, size), {
    difference: 1 / 6,
    box: { x: 2, y: 1, width: 1, height: 1 },
  });
});

test('a size that differs is a mistake of the request, not of the page', () => {
  const job = { source: { kind: 'url' as const, url: 'https://example.com/' }, outputs: [] };
  const error = toServiceError(
    { request: { version: 2, job }, target: { href: job.source.url } },
    new RenderFailure('other_size', 'too wide', { field: 'compare_to' }),
  );
  assert.deepEqual([error.code, error.message], ['validation_error', 'compare_to: too wide']);
});
