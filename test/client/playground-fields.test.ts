// The forms of the dashboard's playground, which are made from the schemas: what they send, and the same as a command of `tt`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { bodyOf, formFields, patternOf, valuesOf } from '#app/pages/playground/fields.ts';
import { ttRender } from '#app/pages/playground/tt-command.ts';
import { fieldsFrom, parsedFlags } from '#cli/field-flags.ts';
import { pdfKind } from '#cli/render-kinds.ts';
import { PdfRequest, ScreenshotRequest } from '#shared/requests.ts';

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
    assert.deepEqual(bodyOf(url, fields, valuesOf(body, fields)), body);
    assert.deepEqual(bodyOf(url, fields, valuesOf({}, fields)), { url }, 'defaults are not sent');
  }
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
