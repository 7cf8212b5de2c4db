// Every field of the render requests as data, for the forms to show, check and send. Spec 4.3, 4.4.
type Value = string | number | boolean;
export type Values = Record<string, Value>;

export interface Field {
  /** The name in the request body; a dot means a nested object, as in `margin.top`. */
  name: string;
  label: string;
  hint?: string;
  kind: 'url' | 'text' | 'integer' | 'number' | 'flag' | 'choice';
  fallback: Value;
  choices?: string[];
  min?: number;
  max?: number;
  step?: number;
  pattern?: string;
  /** Spans the whole row. */
  isWide?: true;
}

const width = (name: string): Field => ({
  name,
  label: 'Viewport width',
  kind: 'integer',
  fallback: 1440,
  min: 320,
  max: 3840,
  hint: '320 to 3840 px',
});
const height = (name: string): Field => ({
  name,
  label: 'Viewport height',
  kind: 'integer',
  fallback: 900,
  min: 320,
  max: 2160,
  hint: '320 to 2160 px',
});
const margin = (side: string): Field => ({
  name: `margin.${side}`,
  label: `Margin ${side}`,
  kind: 'text',
  fallback: '0',
  pattern: '0|\\d+|(\\d+(\\.\\d+)?|\\.\\d+)(px|in|cm|mm)',
});

export const screenshotFields: Field[] = [
  {
    name: 'format',
    label: 'Format',
    kind: 'choice',
    choices: ['png', 'jpeg', 'webp'],
    fallback: 'png',
    hint: 'Of the picture',
  },
  {
    name: 'response',
    label: 'Response',
    kind: 'choice',
    choices: ['image', 'json'],
    fallback: 'image',
    hint: 'json hosts the picture',
  },
  width('width'),
  height('height'),
  {
    name: 'full_page',
    label: 'Full page',
    kind: 'flag',
    fallback: false,
    hint: 'The full scrollable height',
  },
];

export const pdfFields: Field[] = [
  {
    name: 'paper_format',
    label: 'Paper',
    kind: 'choice',
    choices: ['letter', 'a4', 'legal'],
    fallback: 'letter',
    hint: 'Its size',
  },
  {
    name: 'scale',
    label: 'Scale',
    kind: 'number',
    fallback: 1,
    min: 0.1,
    max: 2,
    step: 0.1,
    hint: '0.1 to 2',
  },
  {
    name: 'wait_until',
    label: 'Wait until',
    kind: 'choice',
    choices: ['networkidle2', 'networkidle0', 'load', 'domcontentloaded'],
    fallback: 'networkidle2',
    hint: 'Then print',
    isWide: true,
  },
  // Pairs stand side by side: the two sizes, the margins, delay and response.
  width('viewport.width'),
  height('viewport.height'),
  margin('top'),
  margin('right'),
  margin('bottom'),
  margin('left'),
  {
    name: 'delay_ms',
    label: 'Delay',
    kind: 'integer',
    fallback: 0,
    min: 0,
    max: 10_000,
    hint: '0 to 10000 ms',
  },
  {
    name: 'response',
    label: 'Response',
    kind: 'choice',
    choices: ['pdf', 'json'],
    fallback: 'pdf',
    hint: 'json hosts the PDF',
  },
  { name: 'landscape', label: 'Landscape', kind: 'flag', fallback: false },
  { name: 'print_background', label: 'Print backgrounds', kind: 'flag', fallback: true },
  { name: 'prefer_css_page_size', label: 'Prefer the CSS page size', kind: 'flag', fallback: false },
];

const fallbacksOf = (fields: Field[]): Values =>
  Object.fromEntries(fields.map(({ name, fallback }) => [name, fallback]));

/** The request body, with only the values that differ from the defaults. */
export function bodyOf(url: string, fields: Field[], values: Values): Record<string, unknown> {
  const body: Record<string, unknown> = { url };
  for (const { name, fallback } of fields) {
    const value = values[name] ?? fallback;
    if (value === fallback || value === '') continue;
    const [outer = '', inner] = name.split('.');
    const sent = outer === 'margin' && /^\d+$/.test(String(value)) ? Number(value) : value;
    if (inner === undefined) body[outer] = sent;
    else body[outer] = { ...(body[outer] as object | undefined), [inner]: sent };
  }
  return body;
}

/** The reverse: the form's values for a body, such as that of an earlier render. */
export function valuesOf(body: Record<string, unknown>, fields: Field[]): Values {
  const values = fallbacksOf(fields);
  for (const { name, kind } of fields) {
    const [outer = '', inner] = name.split('.');
    const given =
      inner === undefined ? body[outer] : (body[outer] as Record<string, unknown> | undefined)?.[inner];
    if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') continue;
    values[name] = kind === 'text' ? String(given) : given;
  }
  return values;
}
