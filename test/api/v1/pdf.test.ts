// POST /api/v1/pdf over HTTP, clause by clause. test/browser checks the printed content, and the
// recorded exchanges have every rule of a field.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { readPdf } from '#test/support/pdf.ts';
import { bearer, post, type Answer, type ErrorBody } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let site: PageServer;
let key: string;

before(async () => {
  site = await startPageServer({ '/': '<!doctype html><h1>Hello</h1>' });
  service = await startService({ EGRESS_ALLOW: site.host });
  ({ key } = await service.newKey());
});
after(async () => {
  await service.stop();
  await site.close();
});

const headers = () => ({ ...bearer(key), 'content-type': 'application/json' });
const ask = <T = ErrorBody>(body: object): Promise<Answer<T>> =>
  post<T>(`${service.origin}/api/v1/pdf`, {
    body: JSON.stringify({ url: `${site.base}/`, ...body }),
    headers: headers(),
  });
const print = (body: object = {}) =>
  fetch(`${service.origin}/api/v1/pdf`, {
    method: 'POST',
    body: JSON.stringify({ url: `${site.base}/`, wait_until: 'load', ...body }),
    headers: headers(),
  });

test('4.4 by default: a PDF on letter paper as bytes, with its headers', async () => {
  const response = await print();
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/pdf');
  assert.match(response.headers.get('x-service-id') ?? '', /^\w{20}$/);
  assert.match(response.headers.get('x-service-duration-ms') ?? '', /^\d+$/);
  assert.equal(response.headers.get('x-service-quota-limit'), '100000');
  const [paper] = readPdf(Buffer.from(await response.arrayBuffer()));
  assert.deepEqual([paper?.widthPt, paper?.heightPt], [612, 792]);
});

test('2.4 JSON: every field with its default, and a hosted PDF', async () => {
  const { status, headers, body } = await ask<Record<string, unknown>>({ response: 'json' });
  assert.equal(status, 200);
  const { id, url, duration_ms, size_bytes, ...used } = body;
  assert.deepEqual(used, {
    paper_format: 'letter',
    landscape: false,
    print_background: true,
    prefer_css_page_size: false,
    scale: 1,
    margin: { top: 0, right: 0, bottom: 0, left: 0 },
    viewport: { width: 1440, height: 900 },
    wait_until: 'networkidle2',
    delay_ms: 0,
  });
  assert.ok(Number.isInteger(duration_ms) && Number.isInteger(size_bytes));
  assert.equal(url, `http://tintype.test/p/${String(id)}`);
  assert.equal(headers.get('x-service-id'), null);
  const hosted = await fetch(`${service.origin}/p/${String(id)}`);
  assert.equal(hosted.headers.get('content-type'), 'application/pdf');
  assert.match(hosted.headers.get('content-disposition') ?? '', /^inline; filename=".*\.pdf"/);
  assert.equal((await hosted.arrayBuffer()).byteLength, size_bytes);
});

test('2.4 JSON: the options used, margins as they were given', async () => {
  const options = {
    paper_format: 'a4',
    landscape: true,
    print_background: false,
    prefer_css_page_size: true,
    scale: 0.5,
    margin: { top: '1cm', right: 10, bottom: '0', left: '.5in' },
    viewport: { width: 800, height: 600 },
    wait_until: 'domcontentloaded',
    delay_ms: 1,
  };
  const { body } = await ask<Record<string, unknown>>({ ...options, response: 'json' });
  for (const [name, value] of Object.entries(options)) assert.deepEqual(body[name], value, name);
});

test('7 a page that cannot be loaded is render_failed', async () => {
  const answer = await ask({ url: 'http://no-such-name.invalid/' });
  assert.deepEqual([answer.status, answer.body.error.code], [502, 'render_failed']);
});
