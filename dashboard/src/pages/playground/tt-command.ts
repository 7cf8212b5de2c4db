// The same call as a command of `tt`.

type Kind = 'screenshot' | 'pdf';
/** Names of the API that are flags of their own in `tt`; the others only swap `_` for `-`. */
const viewport: Record<string, string> = { width: 'width', height: 'height' };

export function ttRender(baseUrl: string, kind: Kind, body: Record<string, unknown>): string {
  const { url, response, format, margin, viewport: size, ...options } = body;
  const flags = Object.entries({ ...options, ...sizeOf(size) }).flatMap(([name, value]) =>
    flagOf(name, value),
  );
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
  // Backgrounds are printed unless they are left out.
  if (value === false) return name === 'print_background' ? ['--no-print-background'] : [];
  return typeof value === 'string' || typeof value === 'number' ? [`${flag} ${quoted(String(value))}`] : [];
}

const sizeOf = (size: unknown): Record<string, unknown> =>
  isObject(size) ? Object.fromEntries(Object.entries(size).filter(([name]) => name in viewport)) : {};

/** All four sides, as in CSS; a bare number is pixels. */
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

/** As one word of a shell. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
