// Any request becomes flags: nested objects, choices, switches that are on by default. The schema here is nobody's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsFrom, helpRows, helpTable, parsedFlags } from '#cli/field-flags.ts';
import { fieldsOf, omit, type ObjectSchema } from '#shared/fields.ts';
import { flagsOf } from '#shared/flags.ts';

const side = { anyOf: [{ type: 'number' }, { type: 'string' }], default: 0 };
const schema: ObjectSchema = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    color_scheme: { type: 'string', enum: ['light', 'dark'], default: 'light', description: 'Color scheme.' },
    javascript: { type: 'boolean', default: true, description: 'Run the scripts of the page.' },
    outline: { type: 'boolean', default: false, description: 'Add an outline to color_scheme.' },
    viewport: {
      type: 'object',
      properties: {
        width: {
          type: 'integer',
          minimum: 1,
          maximum: 9,
          default: 5,
          description: 'The width.',
          'x-unit': 'px',
          'x-formats': ['png', 'pdf'],
        },
      },
    },
    geolocation: {
      type: 'object',
      properties: { accuracy: { type: 'number', description: 'In metres.' } },
    },
    margin: {
      type: 'object',
      description: 'Margins.',
      properties: { top: side, right: side, bottom: side, left: side },
    },
  },
};
const flags = flagsOf(omit(schema, 'url'));

test('a flag for each field, and for those of nested objects', () => {
  assert.deepEqual(parsedFlags(flags), {
    'color-scheme': { type: 'string' },
    'no-javascript': { type: 'boolean' },
    outline: { type: 'boolean' },
    width: { type: 'string' },
    'geolocation-accuracy': { type: 'string' },
    margin: { type: 'string' },
  });
  assert.deepEqual(
    fieldsOf(schema).map(({ path }) => path),
    [
      'url',
      'color_scheme',
      'javascript',
      'outline',
      'viewport.width',
      'geolocation.accuracy',
      'margin.top',
      'margin.right',
      'margin.bottom',
      'margin.left',
    ],
  );
});

test('what was given becomes the fields of the request, and nothing else', () => {
  assert.deepEqual(fieldsFrom(flags, {}), {});
  assert.deepEqual(
    fieldsFrom(flags, {
      'color-scheme': 'dark',
      'no-javascript': true,
      outline: true,
      width: '7',
      'geolocation-accuracy': '2.5',
      margin: '1cm 2',
    }),
    {
      color_scheme: 'dark',
      javascript: false,
      outline: true,
      viewport: { width: 7 },
      geolocation: { accuracy: 2.5 },
      margin: { top: '1cm', right: 2, bottom: '1cm', left: 2 },
    },
  );
  assert.throws(
    () => fieldsFrom(flags, { 'color-scheme': 'red' }),
    /--color-scheme must be light, dark, not/,
  );
  assert.throws(() => fieldsFrom(flags, { width: 'wide' }), /--width must be a number/);
  for (const margin of ['', '1 2 3 4 5']) assert.throws(() => fieldsFrom(flags, { margin }), /one to four/);
});

test('--help says what each does, its choices or range, and its default', () => {
  assert.equal(
    helpTable(helpRows(flags)),
    `  --color-scheme SCHEME          Color scheme: light or dark (light)
  --no-javascript                Do not run the scripts of the page
  --outline                      Add an outline to --color-scheme
  --width PIXELS                 The width, 1 to 9 (5); only png, pdf
  --geolocation-accuracy NUMBER  In metres
  --margin SIZES                 Margins: one for all sides, or up to four as in
                                 CSS: "1cm 2cm"`,
  );
});
