// How a render was asked for, in words: only what differs from the defaults.
import type { Render } from '#console/views.ts';
import { formFields, valuesOf, type Field, type Values } from '#app/pages/playground/fields.ts';
import { omit } from '#shared/fields.ts';
import { PdfRequest, RenderRequest, ScreenshotRequest } from '#shared/requests.ts';

const fieldsOfVersion1 = { screenshot: formFields(ScreenshotRequest), pdf: formFields(PdfRequest) };
const fieldsOfVersion2 = formFields(omit(RenderRequest, 'outputs'));

/** Said elsewhere, or of no interest afterwards. */
const unsaid = ['format', 'response', 'reference', 'expires_in', 'html', 'markdown', 'base_url', 'max_age'];

const words: Record<string, string> = {
  load: 'until it has loaded',
  domcontentloaded: 'until the document is read',
  networkidle0: 'until the network is quiet',
  networkidle2: 'until the network is almost quiet',
  settled: 'until it is at rest',
};

const labels: Record<string, string> = {
  full_page: 'Whole page',
  wait_until: 'Waits',
  paper_format: 'Paper',
  prefer_css_page_size: 'Page size of the page’s CSS',
  print_background: 'Backgrounds',
  delay_ms: 'Delay',
  color_scheme: 'Colours',
};

export function settingsOf({ version, kind, options }: Render): [name: string, value: string][] {
  const fields = version === 2 || kind === 'extract' ? fieldsOfVersion2 : fieldsOfVersion1[kind];
  const values = valuesOf(options, fields);
  const changed = fields.filter(
    ({ path, fallback }) => !unsaid.includes(path) && values[path] !== undefined && values[path] !== fallback,
  );
  const single = changed.filter(({ path }) => !isOfPair(path) && !path.startsWith('margin.'));
  return [
    ...windowOf(changed, values),
    ...single.map((field): [string, string] => [
      labels[field.path] ?? field.label,
      wordsOf(field, values[field.path]),
    ]),
    ...marginsOf(changed, values),
  ];
}

const isOfPair = (path: string): boolean => /^(viewport\.)?(width|height)$/.test(path);

function windowOf(changed: Field[], values: Values): [string, string][] {
  const pair = changed.find(({ path }) => isOfPair(path));
  if (!pair) return [];
  const at = pair.path.startsWith('viewport.') ? 'viewport.' : '';
  return [['Window', `${values[`${at}width`]} × ${values[`${at}height`]} px`]];
}

function marginsOf(changed: Field[], values: Values): [string, string][] {
  const sides = changed.filter(({ path }) => path.startsWith('margin.'));
  if (sides.length === 0) return [];
  const each = sides.map(({ path }) => `${path.slice('margin.'.length)} ${lengthOf(values[path])}`);
  return [['Margins', each.join(', ')]];
}

/** A number is in pixels. */
const lengthOf = (value: unknown): string =>
  /^\d+(\.\d+)?$/.test(String(value)) ? `${String(value)} px` : String(value);

function wordsOf({ path, kind }: Field, value: unknown): string {
  if (kind === 'flag') return value === true ? 'yes' : 'no';
  if (path.endsWith('_ms')) return `${String(value)} ms`;
  if (path === 'paper_format') return String(value).replace(/^./, (first) => first.toUpperCase());
  const text = String(value).split('\n').join(', ');
  return words[text] ?? text;
}
