// The forms of the dashboard's playground, which are made from the schemas: what they send, and the same as a command of `tt`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { bodyOf, fitting, formFields, hintOf, patternOf, valuesOf } from '#app/pages/playground/fields.ts';
import { fields, groups, keptOf, requestOf, sourceOf } from '#app/pages/playground/render-groups.ts';
import { ttRender, ttRenderAny } from '#app/pages/playground/tt-command.ts';
import { fieldsFrom, parsedFlags } from '#cli/field-flags.ts';
import { renderDocument } from '#cli/render-document.ts';
import { pdfKind } from '#cli/render-kinds.ts';
import type { Format, Row } from '#api/v2/fields/row.ts';
import { outputRows } from '#api/v2/fields/rows.ts';
import { PdfRequest, RenderRequest, ScreenshotRequest } from '#shared/requests.ts';

const url = 'https://example.com/';
const pdf = {
  url,
  paper_format: 'a4',
  landscape: true,
  print_background: false,
  scale: 0.5,
  margin: { top: '1.5cm', left: 20 },
  viewport: { width: 800 },
  wait_until: 'load',
  delay_ms: 10,
  response: 'json',
};

test('a form shows what a body says, and sends it again', () => {
  for (const [request, body] of [
    [ScreenshotRequest, { url, full_page: true, format: 'webp', height: 700 }],
    [PdfRequest, pdf],
  ] as const) {
    const fields = formFields(request);
    assert.deepEqual(bodyOf({ url }, fields, valuesOf(body, fields)), body);
    assert.deepEqual(bodyOf({ url }, fields, valuesOf({}, fields)), { url }, 'defaults are not sent');
    const foreign = { format: 'markdown', wait_until: 'settled' };
    assert.deepEqual(
      bodyOf({ url }, fields, valuesOf(foreign, fields)),
      { url },
      'not a choice of this form',
    );
  }
});

test('a length says its unit', () => {
  for (const request of [PdfRequest, RenderRequest]) {
    const margin = formFields(request).find(({ path }) => path === 'margin.top')!;
    assert.equal(hintOf(margin), 'In px, or such as 10mm');
  }
});

const any = {
  html: '<p>It is</p>',
  base_url: 'https://example.com/a',
  format: 'pdf',
  margin: { top: '1cm' },
  page_ranges: '1-2',
  footer: '5',
  document: { title: 'T', keywords: ['a', 'b'] },
  viewport: { pixel_ratio: 2, mobile: true },
  device: 'iPhone 17',
  geolocation: { latitude: 1.5, longitude: -2 },
  javascript: false,
  css: 'p {\n  color: red\n}',
  hide: ['.a', '#b > c'],
  block: ['images', 'fonts'],
  block_hosts: ['ads.example.com'],
  wait_for: ['main', { expression: 'window.done' }],
  timeout_ms: 5000,
  fail_on: ['http_error'],
  headers: { 'X-Token': 'a: b' },
  basic_auth: { username: 'ann', password: 'secret' },
  response: 'json',
  reference: 'order 7',
};

test('the form of version 2 shows what a body says, and sends it again', () => {
  assert.deepEqual(requestOf(sourceOf(any), valuesOf(any, fields)), any);
  assert.deepEqual(requestOf(sourceOf({ url }), valuesOf({}, fields)), { url }, 'defaults are not sent');
  const shown = new Set(groups.flatMap((group) => group.fields).map(({ path }) => path.split('.')[0]));
  const others = ['url', 'html', 'markdown', 'base_url', 'format', 'outputs', 'cookies'];
  assert.deepEqual(
    new Set([...shown, ...others]),
    new Set(Object.keys(RenderRequest.properties)),
    'every field is in a group',
  );
});

test('the form of version 2 shows and sends only what fits the format', () => {
  for (const format of RenderRequest.properties['format']?.enum ?? []) {
    const names = fitting(fields, { format }).map(({ path }) => path.split('.')[0] ?? '');
    for (const [name, { formats }] of Object.entries<Row>(outputRows))
      assert.equal(
        names.includes(name),
        formats?.includes(format as Format) ?? true,
        `${name} with ${format}`,
      );
  }
  const picture = requestOf(sourceOf({ url }), valuesOf({ ...any, format: 'png', full_page: true }, fields));
  assert.equal(picture['full_page'], true);
  for (const name of ['margin', 'page_ranges', 'base_url']) assert.ok(!(name in picture), name);
});

test('the address of the page keeps no secrets, and no document that is too long for it', () => {
  const kept = JSON.parse(keptOf(any)) as typeof any;
  const { headers: _headers, basic_auth: _login, ...rest } = any;
  assert.deepEqual(kept, rest);
  const long = JSON.parse(keptOf({ ...any, html: 'é'.repeat(2_000) })) as Partial<typeof any>;
  assert.deepEqual([long.html, long.css, long.page_ranges], [undefined, undefined, '1-2']);
});

test('a margin is checked before it is sent', () => {
  const pattern = new RegExp(`^(?:${patternOf(PdfRequest.properties['margin']!.properties!['top']!)})$`);
  for (const good of ['0', '20', '.5in', '2cm']) assert.match(good, pattern);
  for (const bad of ['', '-1', '2 cm', '1em']) assert.doesNotMatch(bad, pattern);
});

test('the command for tt sends the same fields', () => {
  const command = ttRender('https://img.example.com', 'pdf', PdfRequest, pdf);
  const [words = ''] = command.split('\n').slice(1);
  const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
  assert.deepEqual(args.slice(0, 3), ['tt', 'pdf', url]);
  const { values } = parseArgs({
    args: args.slice(3),
    options: { ...parsedFlags(pdfKind.flags), json: { type: 'boolean' } },
  });
  const { url: _url, response: _response, ...fields } = pdf;
  assert.deepEqual(fieldsFrom(pdfKind.flags, values as Record<string, string | boolean>), {
    ...fields,
    margin: { top: '1.5cm', right: 0, bottom: 0, left: 20 },
  });
  assert.match(
    ttRender('https://img.example.com', 'screenshot', ScreenshotRequest, { url, format: 'webp' }),
    /tt screenshot \S+ -o page\.webp$/,
  );
});

test('the command for tt sends the same fields of version 2', () => {
  const { wait_for: _waits, headers: _headers, basic_auth: _login, html: _html, ...plain } = any;
  const margins = { header: 'Page {{page}}', footer: { first: '' }, page_numbers: true };
  const command = ttRenderAny('https://img.example.com', RenderRequest, {
    ...any,
    ...margins,
    css: 'p { color: red }',
  });
  const [words = ''] = command.split('\n').slice(1);
  const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
  assert.deepEqual(args.slice(0, 3), ['tt', 'render', 'document.html']);
  const { values } = parseArgs({ args: args.slice(3), options: renderDocument.options ?? {} });
  assert.deepEqual(
    [
      values['wait-for'],
      values['wait-for-expression'],
      values['header'],
      values['basic-auth'],
      values['json'],
    ],
    [['main'], ['window.done'], ['X-Token: a: b'], 'ann:secret', true],
  );
  // What stands in the margins is not a header of a request.
  assert.deepEqual(
    [values['page-header'], values['page-footer'], values['page-numbers']],
    ['Page {{page}}', undefined, true],
  );
  assert.deepEqual(
    [values['block'], values['hide'], values['no-javascript'], values['pixel-ratio'], values['reference']],
    [plain.block, plain.hide, true, '2', plain.reference],
  );
  assert.match(
    ttRenderAny('https://img.example.com', RenderRequest, { markdown: '# Hi', format: 'text' }),
    /tt render document\.md -o page\.txt$/,
  );
});
