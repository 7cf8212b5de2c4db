// The same call as a `tt` command.

type Kind = 'screenshot' | 'pdf';

export function ttRender(baseUrl: string, kind: Kind, body: Record<string, unknown>): string {
  const { url, response, format, margin, viewport, ...options } = body;
  // `tt` has width and height of the viewport as flags of their own.
  const sizes = isObject(viewport) ? viewport : {};
  const flags = Object.entries({ ...options, ...sizes }).flatMap(([name, value]) => flagOf(name, value));
  const ending = kind === 'pdf' ? 'pdf' : textOf(format, 'png');
  return command(baseUrl, [
    `tt ${kind} ${quoted(textOf(url, ''))}`,
    ...flags,
    ...(isObject(margin) ? [`--margin ${quoted(marginOf(margin))}`] : []),
    ...(response === 'json'
      ? [...(kind === 'screenshot' && format !== undefined ? [`--format ${ending}`] : []), '--json']
      : [`-o page.${ending}`]),
  ]);
}

export const ttUpload = (baseUrl: string, filename: string, expiresIn: number | undefined): string =>
  command(baseUrl, [
    `tt upload ${quoted(filename)}`,
    ...(expiresIn === undefined ? [] : [`--expires-in ${expiresIn}`]),
  ]);

const command = (baseUrl: string, words: string[]): string =>
  `# Once: tt login --url ${baseUrl}\n${words.join(' ')}`;

function flagOf(name: string, value: unknown): string[] {
  const flag = `--${name.replaceAll('_', '-')}`;
  if (value === true) return [flag];
  // Printing backgrounds is the default, so switching it off needs a flag.
  if (value === false) return name === 'print_background' ? ['--no-print-background'] : [];
  return typeof value === 'string' || typeof value === 'number' ? [`${flag} ${quoted(String(value))}`] : [];
}

/** All four sides in CSS order; a bare number is in pixels. */
const marginOf = (margin: Record<string, unknown>): string =>
  ['top', 'right', 'bottom', 'left']
    .map((side) => {
      const size = margin[side];
      return typeof size === 'number' && size !== 0 ? `${size}px` : textOf(size, '0');
    })
    .join(' ');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const textOf = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback);

/** Quoted as one shell word. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
