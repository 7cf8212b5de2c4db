// POST /api/v1/pdf over HTTP, clause by clause. test/browser checks the printed content.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
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

describe('4.4 what the rules allow', () => {
  const cases: object[] = [
    { scale: 0.1 },
    { scale: 2 },
    { margin: {} },
    { margin: { top: 0, left: 96.5 } },
    { margin: { top: '0', right: '0px', bottom: '1.25in', left: '10mm' } },
    { margin: { top: '0000000000001px' } },
    { viewport: {} },
    { viewport: { width: 320, height: 320 } },
    { viewport: { width: 3840, height: 2160 } },
    { delay_ms: 0 },
    { paper_format: 'legal' },
  ];
  for (const body of cases) {
    test(JSON.stringify(body), async () => assert.equal((await print(body)).status, 200));
  }
});

describe('4.4 an invalid field is a validation_error that names it', () => {
  const cases: [object, RegExp][] = [
    [{ paper_format: 'A4' }, /^paper_format: /],
    [{ paper_format: 'tabloid' }, /^paper_format: .*letter, a4, legal/],
    [{ landscape: 1 }, /^landscape: /],
    [{ print_background: 'yes' }, /^print_background: /],
    [{ prefer_css_page_size: null }, /^prefer_css_page_size: /],
    [{ scale: 0.09 }, /^scale: .*0\.1 to 2/],
    [{ scale: 2.01 }, /^scale: /],
    [{ scale: '1' }, /^scale: /],
    [{ margin: 10 }, /^margin: /],
    [{ margin: [] }, /^margin: /],
    [{ margin: { top: -1 } }, /^margin\.top: /],
    [{ margin: { top: 2001 } }, /^margin\.top: /],
    [{ margin: { top: '1' } }, /^margin\.top: /],
    [{ margin: { top: '-1px' } }, /^margin\.top: /],
    [{ margin: { top: '1 px' } }, /^margin\.top: /],
    [{ margin: { top: '1px ' } }, /^margin\.top: /],
    [{ margin: { top: '1px\n' } }, /^margin\.top: /],
    [{ margin: { top: '1em' } }, /^margin\.top: /],
    [{ margin: { top: '1PX' } }, /^margin\.top: /],
    [{ margin: { top: '1e1px' } }, /^margin\.top: /],
    [{ margin: { top: '00000000000001px1' } }, /^margin\.top: /],
    [{ margin: { top: '000000000000001px' } }, /^margin\.top: /],
    [{ margin: { top: '' } }, /^margin\.top: /],
    [{ margin: { top: null } }, /^margin\.top: /],
    [{ margin: { middle: 1 } }, /^margin\.middle: unknown field; the fields are margin\.top, /],
    [{ margin: { left: 500, right: 500 } }, /^margin: .*letter/],
    [{ margin: { top: '14in' }, paper_format: 'legal' }, /^margin: .*legal/],
    [{ margin: { left: '9in' }, prefer_css_page_size: true }, /^margin: .*letter/],
    [{ margin: { top: '99999999999999in' }, prefer_css_page_size: true }, /^margin: .*letter/],
    [{ viewport: 5 }, /^viewport/],
    [{ viewport: { width: 319 } }, /^viewport\.width: /],
    [{ viewport: { height: 2161 } }, /^viewport\.height: /],
    [{ viewport: { widht: 400 } }, /^viewport\.widht: .*viewport\.width/],
    [{ wait_until: 'idle' }, /^wait_until: .*networkidle2/],
    [{ delay_ms: -1 }, /^delay_ms: /],
    [{ delay_ms: 10_001 }, /^delay_ms: .*0 to 10000/],
    [{ delay_ms: 1.5 }, /^delay_ms: /],
    [{ response: 'image' }, /^response: /],
    [{ format: 'a4' }, /^format: unknown field; did you mean "paper_format"\?/],
    [{ delay: 5 }, /^delay: unknown field; did you mean "delay_ms"\?/],
    [{ qality: 5 }, /^qality: unknown field; the fields are url, .*paper_format/],
    [{ url: 'http://192.168.0.1/' }, /^url: /],
  ];
  for (const [body, message] of cases) {
    test(JSON.stringify(body), async () => {
      const answer = await ask(body);
      assert.deepEqual([answer.status, answer.body.error.code], [422, 'validation_error']);
      assert.match(answer.body.error.message, message);
    });
  }
});

test('7 a page that cannot be loaded is render_failed', async () => {
  const answer = await ask({ url: 'http://no-such-name.invalid/' });
  assert.deepEqual([answer.status, answer.body.error.code], [502, 'render_failed']);
});
