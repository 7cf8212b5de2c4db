// What a render of version 2 may be asked: a second implementation of spec 10, as values that are right and values that are wrong, and the
// rules about fields that contradict each other.
import { otherUrls, publicUrls } from '#lab/prove/fuzz/json-rules.ts';

/** A value, and the field that its error names below the field itself: `.width`, `[0]`, or nothing. */
export type Wrong = [value: unknown, below?: string];

export interface Values {
  right: unknown[];
  wrong: Wrong[];
}

const noBoolean: Wrong[] = [[null], ['true'], [1], [[]]];
const flag: Values = { right: [true, false], wrong: noBoolean };
const outside = (...values: unknown[]): Wrong[] => [...values, null, '1', [], {}].map((value) => [value]);
const long = 'x'.repeat(600);
const noSelectors: Wrong[] = [['a {'], ['> a'], ['a,'], ['(a'], ["a[b='c]"], ['text=x'], [''], [long], [5]];
const selectors = ['main', '#a > .b', ':has(> img)', '[data-a="}"]', '::slotted(a)', 'a\\:b', '*'];
const addresses: Values = {
  right: publicUrls,
  wrong: [...otherUrls, null, 5, [], {}].map((value) => [value]),
};

const choice = (...values: string[]): Values => ({
  right: values,
  wrong: [[values[0]!.toUpperCase()], [''], [null], [[values[0]]], ['constructor'], [`${values[0]} `]],
});

const pictures = ['png', 'jpeg', 'webp'];
const texts = ['html', 'text', 'markdown'];
export const formats = [...pictures, ...texts, 'pdf', 'mhtml', 'metadata', 'accessibility'];

const marginHtml: Values = {
  right: ['', '<p>{{page}}', 'ä'.repeat(32_768), { default: 'a', first: '' }, {}],
  wrong: [['ä'.repeat(32_769)], [5], [null], [[]], [{ last: 5 }, '.last'], [{ second: '' }, '.second']],
};

/** How a page is printed; also of a picture with `page`. */
const printed = ['paper_format', 'paper', 'landscape', 'scale', 'margin', 'header', 'footer', 'page_numbers'];

/** The fields of an output, and the formats that each fits. */
export const outputFields: Record<string, Values & { fits: string[] }> = {
  put_url: {
    right: ['https://93.184.216.34/a?signature=b'],
    wrong: [['http://93.184.216.34/'], ['https://10.0.0.1/'], ['https://localhost/'], ['a'], [5], [null]],
    fits: formats,
  },
  full_page: { ...flag, fits: pictures },
  selector: { right: selectors, wrong: noSelectors, fits: [...pictures, ...texts] },
  clip: {
    right: [
      { x: 0, y: 0.5, width: 1, height: 100 },
      { x: 100_000, y: 0, width: 1000, height: 99.9 },
    ],
    wrong: [
      [{ x: 0, y: 0, width: 10 }, '.height'],
      [{ x: -1, y: 0, width: 10, height: 10 }, '.x'],
      [{ x: 0, y: 0, width: 0, height: 10 }, '.width'],
      [{ x: 0, y: 0, width: 10, height: '10' }, '.height'],
      [{ x: 0, y: 0, width: 1, height: 1, scale: 2 }, '.scale'],
      [[0, 0, 10, 10]],
      [null],
    ],
    fits: pictures,
  },
  omit_background: { ...flag, fits: ['png', 'webp', 'pdf'] },
  quality: { right: [1, 80, 100], wrong: outside(0, 101, 1.5), fits: ['jpeg', 'webp'] },
  resize: {
    right: [{ width: 16 }, { height: 3840, fit: 'inside' }, { width: 100, height: 100, fit: 'cover' }],
    wrong: [
      [{}],
      [{ width: 15 }, '.width'],
      [{ height: 3841 }, '.height'],
      [{ width: 99, fit: 'cover' }, '.fit'],
    ],
    fits: pictures,
  },
  // The ids of others and of nobody are refused later than a field is.
  compare_to: { right: [], wrong: [[''], [5], [null], ['x'.repeat(65)]], fits: pictures },
  paper_format: { ...choice('letter', 'a3', 'a4', 'a5', 'legal', 'tabloid'), fits: ['pdf'] },
  paper: {
    right: [{ width: '8in', height: 1000 }],
    wrong: [[{ width: '8in' }, '.height'], [{ width: '201in', height: 900 }, '.width'], ['8in 11in']],
    fits: ['pdf'],
  },
  landscape: { ...flag, fits: ['pdf'] },
  scale: { right: [0.1, 1, 2], wrong: outside(0.09, 2.1), fits: ['pdf'] },
  margin: {
    right: [{}, { top: '1cm', left: 10 }],
    wrong: [
      [{ top: '1em' }, '.top'],
      [{ top: -1 }, '.top'],
      [{ centre: 1 }, '.centre'],
      ['1cm'],
      [{ top: '30in', bottom: '30in' }],
    ],
    fits: ['pdf'],
  },
  header: { ...marginHtml, fits: ['pdf'] },
  footer: { ...marginHtml, fits: ['pdf'] },
  page_numbers: { ...flag, fits: ['pdf'] },
  document: {
    right: [
      {},
      { title: 'ä', author: 'a', subject: 's', keywords: 'k', language: 'de' },
      { keywords: ['a', 'b'] },
    ],
    wrong: [
      [{ title: '' }, '.title'],
      [{ author: long }, '.author'],
      [{ keywords: ['a', 5] }, '.keywords[1]'],
      [{ keywords: {} }, '.keywords'],
      [{ language: 'de_CH' }, '.language'],
      [{ creator: 'x' }, '.creator'],
      ['title'],
    ],
    fits: ['pdf'],
  },
  password: { right: ['p', 'ä'.repeat(63)], wrong: [[''], ['ä'.repeat(64)], [5], [null]], fits: ['pdf'] },
  owner_password: {
    right: ['o', 'ö'.repeat(63)],
    wrong: [[''], ['ö'.repeat(64)], [5], [null]],
    fits: ['pdf'],
  },
  permissions: {
    right: [[], ['print', 'copy'], ['print', 'copy', 'modify', 'annotate', 'fill', 'assemble']],
    wrong: [[['Print'], '[0]'], [['copy', 5], '[1]'], ['print'], [{}], [null], [Array(7).fill('copy')]],
    fits: ['pdf'],
  },
  page: { right: [1, 7], wrong: outside(0, 1.5, 100_001), fits: pictures },
  page_ranges: {
    right: ['1', '1-3,5', ' 2 , 4-4'],
    wrong: [['0'], ['3-1'], ['1-'], ['-1'], ['1,'], ['all'], [''], ['1,'.repeat(60)], [1]],
    fits: ['pdf'],
  },
  single_page: { ...flag, fits: ['pdf'] },
  outline: { ...flag, fits: ['pdf'] },
  tagged: { ...flag, fits: ['pdf'] },
  main_content: { ...flag, fits: texts },
};

export const renderFields: Record<string, Values> = {
  base_url: addresses,
  viewport: {
    right: [
      {},
      { width: 320, height: 2160 },
      { width: 3840, height: 2160, pixel_ratio: 3 },
      { mobile: true },
    ],
    wrong: [
      [{ width: 319 }, '.width'],
      [{ pixel_ratio: 0.5 }, '.pixel_ratio'],
      [{ mobile: 1 }, '.mobile'],
      [[]],
    ],
  },
  device: { right: [], wrong: [['toaster'], ['constructor'], [null]] },
  color_scheme: choice('light', 'dark'),
  media: choice('screen', 'print'),
  contrast: choice('no_preference', 'more', 'less'),
  forced_colors: flag,
  reduced_motion: flag,
  locale: {
    right: ['en-US', 'de', 'zh-Hant-TW'],
    wrong: [['de_CH'], ['x'], ['-'], [null], ['a'.repeat(61)]],
  },
  timezone: { right: ['UTC', 'Europe/Zurich'], wrong: [['+01:00'], ['Mars'], [''], [null]] },
  geolocation: {
    right: [
      { latitude: -90, longitude: 180 },
      { latitude: 1.5, longitude: 2, accuracy: 0 },
    ],
    wrong: [[{ latitude: 91, longitude: 0 }, '.latitude'], [{ latitude: 1 }, '.longitude'], [null]],
  },
  user_agent: { right: ['x', 'y'.repeat(500)], wrong: [[''], ['a\r\nb'], ['ü'], [long], [null]] },
  clock: {
    right: ['2026-01-31T09:00:00Z', '1999-12-31T23:59:59.999+02:00'],
    wrong: [['noon'], ['2026-01-31'], ['1969-01-01T00:00:00Z'], [0], [null]],
  },
  headers: {
    right: [{}, { 'X-A': 'b', authorization: 'Bearer ü' }],
    wrong: [
      [{ Cookie: 'a' }, '.Cookie'],
      [{ 'Set-Cookie': 'a' }, '.Set-Cookie'],
      [{ 'Sec-A': 'a' }, '.Sec-A'],
      [{ 'x-a': 'a\nb' }, '.x-a'],
      [{ 'x-a': 'a'.repeat(4097) }, '.x-a'],
      [{ 'a b': 'c' }],
      [{ 'x-a': 1 }],
      [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, '']))],
      [[]],
    ],
  },
  cookies: {
    right: [[], [{ name: 'a', value: 'b', path: '/x', http_only: true, same_site: 'lax' }]],
    wrong: [
      [[{ name: 'a' }], '[0].value'],
      [[{ name: 'a', value: 'b;c' }], '[0].value'],
      [[{ name: 'a', value: ' b' }], '[0].value'],
      [[{ name: 'a', value: 'b', domain: 'else.example' }], '[0].domain'],
      [[{ name: 'a', value: 'b', same_site: 'none' }], '[0].secure'],
      [Array.from({ length: 51 }, () => ({ name: 'a', value: 'b' }))],
      [{ a: 'b' }],
    ],
  },
  basic_auth: {
    right: [{ username: 'a', password: '' }],
    wrong: [[{ username: 'a' }, '.password'], [{ username: 'a:b', password: 'c' }, '.username'], ['a:b']],
  },
  javascript: flag,
  css: { right: ['p { color: red }'], wrong: [[''], ['x'.repeat(102_401)], [null], [['a']]] },
  script: { right: ['return 1', '}'], wrong: [[''], ['é'.repeat(51_201)], [5]] },
  hide: {
    right: [[], ['.ad', 'aside']],
    wrong: [[['.ad', 'a {'], '[1]'], [[5], '[0]'], [Array.from({ length: 21 }, () => 'a')], ['a']],
  },
  block: {
    right: [[], ['images', 'fonts', 'cookie_banners']],
    wrong: [[['ads'], '[0]'], [['x'], '[0]'], ['images']],
  },
  block_hosts: {
    right: [[], ['ads.example.com', '.example.com', 'BÜCHER.example']],
    wrong: [[['http://a/'], '[0]'], [['a:80'], '[0]'], [['*'], '[0]'], [['a b'], '[0]'], [{}]],
  },
  network: choice('all', 'none'),
  wait_until: choice('settled', 'load', 'domcontentloaded', 'networkidle0', 'networkidle2'),
  wait_for: {
    right: [
      'main',
      { selector: 'a', state: 'gone' },
      { expression: 'window.ready' },
      ['a', { expression: '1' }],
      [],
    ],
    wrong: [
      ['a {'],
      [{ selector: 'a {' }, '.selector'],
      [{ selector: 'a', state: 'x' }, '.state'],
      [Array(6).fill('a')],
      [5],
    ],
  },
  delay_ms: { right: [0, 10_000], wrong: outside(-1, 10_001, 0.5) },
  timeout_ms: { right: [1000, 90_000], wrong: outside(999, 90_001) },
  fail_on: {
    right: [
      [],
      ['http_error', 'script_error'],
      [
        { on: 'request_failed', statuses: [404, '5xx'], except_hosts: ['*.cdn.example'] },
        { on: 'http_error' },
      ],
    ],
    wrong: [
      [['x'], '[0]'],
      ['http_error'],
      [null],
      [[{ on: 'script_error' }], '[0].on'],
      [[{ statuses: [404] }], '[0].on'],
      [[{ on: 'http_error', statuses: [200] }], '[0].statuses[0]'],
      [[{ on: 'http_error', statuses: [] }], '[0].statuses'],
      [[{ on: 'http_error', except_hosts: ['a/b'] }], '[0].except_hosts[0]'],
    ],
  },
  response: choice('json', 'file'),
  expires_in: { right: [60, 31_536_000], wrong: outside(59, 31_536_001) },
  reference: { right: ['a', 'ü'.repeat(200)], wrong: [[''], ['x'.repeat(201)], ['a\0b'], [5]] },
};

export const sources: Record<string, Values> = {
  url: addresses,
  html: { right: ['<p>x', 'é'.repeat(1000)], wrong: [[''], [null], [['x']], ['x'.repeat(2 ** 21 + 1)]] },
  markdown: { right: ['# x'], wrong: [[''], [5], ['é'.repeat(2 ** 19 + 1)]] },
};

export type Body = Record<string, unknown>;

/** Fields whose values are not right beside the others. */
export function contradictionsIn(body: Body): string[] {
  const given = (name: string) => Object.hasOwn(body, name);
  const kinds = Object.keys(sources).filter(given);
  const faults = kinds.length === 1 ? [] : ['url', ...kinds];
  if (given('url') && given('base_url')) faults.push('base_url');
  if (given('url') && body['network'] === 'none') faults.push('network');
  if (!given('url') && !given('base_url')) faults.push(...['headers', 'cookies', 'basic_auth'].filter(given));
  const beside = ['format', ...Object.keys(outputFields)].some(given);
  const isList = Array.isArray(body['outputs']);
  if (isList && beside) faults.push('outputs');
  const outputs = isList ? (body['outputs'] as Body[]) : [body];
  for (const [index, output] of outputs.entries())
    faults.push(...misfitsIn(output).map((name) => (isList ? `outputs[${index}].${name}` : name)));
  if (pixelsOf(outputs, body['viewport']) > 134_000_000) faults.push('outputs', 'viewport', 'clip', 'page');
  if (body['response'] !== 'json') {
    if (outputs.length > 1) faults.push('response');
    if (given('expires_in')) faults.push('expires_in');
  }
  return faults;
}

const fits = (name: string, format: string, isPrinted: boolean): boolean =>
  outputFields[name]!.fits.includes(format) ||
  (isPrinted && pictures.includes(format) && printed.includes(name));

function misfitsIn(output: Body): string[] {
  const { format = 'png' } = output as { format?: string };
  const given = Object.keys(output);
  const misfits = given.filter(
    (name) => Object.hasOwn(outputFields, name) && !fits(name, format, given.includes('page')),
  );
  const areas = given.filter(
    (name) => ['selector', 'clip', 'page'].includes(name) || (name === 'full_page' && output[name] === true),
  );
  if (areas.length > 1) misfits.push(...areas);
  if (given.includes('paper') && given.includes('paper_format')) misfits.push('paper');
  if (output['single_page'] === true && given.includes('page_ranges')) misfits.push('page_ranges');
  return misfits;
}

/** In pixels. */
const papers: Record<string, number> = {
  letter: 816 * 1056,
  legal: 816 * 1344,
  tabloid: 1056 * 1632,
  a3: 1123 * 1588,
  a4: 794 * 1123,
  a5: 560 * 794,
};

interface Size {
  width?: number;
  height?: number;
  pixel_ratio?: number;
}

function pixelsOf(outputs: Body[], viewport: unknown): number {
  const { width = 1440, height = 900, pixel_ratio: ratio = 1 } = (viewport ?? {}) as Size;
  const areas = outputs.map(
    ({ format = 'png', selector, clip, page, paper, paper_format: name = 'letter' }) => {
      if (!pictures.includes(String(format)) || selector !== undefined) return 0;
      // The only paper above is 8 in by 1,000 px.
      if (page !== undefined)
        return (paper === undefined ? (papers[String(name)] ?? 0) : 768_000) * ratio ** 2;
      const area = (clip ?? { width, height }) as Required<Size>;
      return area.width * area.height * ratio ** 2;
    },
  );
  return areas.reduce((sum, area) => sum + area, 0);
}

export const fileNames: Values = {
  right: ['a.png', 'img/ü b.css', '...', 'a%2fb', 'x'.repeat(500)],
  wrong: [
    '',
    '..',
    '../a',
    'a/%2E%2e/b',
    '/a',
    '//host/a',
    'https://a/b',
    'c:d',
    'a\\\\b',
    'a?b',
    'a#b',
    'a//b',
    './a',
    'x'.repeat(501),
  ].map((name) => [name]),
};
