// What a JSON body of the two render endpoints may contain: a second implementation of spec 4.3 and 4.4, and addresses to try.

export type Rule = (value: unknown) => boolean;
export type Shape = Record<string, Rule | { inside: Shape }>;

const integer =
  (first: number, last: number): Rule =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= first && value <= last;
const oneOf =
  (...words: string[]): Rule =>
  (value) =>
    typeof value === 'string' && words.includes(value);
const boolean: Rule = (value) => value === true || value === false;
const margin: Rule = (value) =>
  typeof value === 'number'
    ? value >= 0 && value <= 2000
    : typeof value === 'string' &&
      value.length <= 16 &&
      (value === '0' || /^(\d+|\d+\.\d+|\.\d+)(px|in|cm|mm)$/.test(value));

/** Public, and never dialled: there is no unit left to render them. No names, because they would be looked up. */
export const publicUrls = [
  'http://93.184.216.34/',
  'https://1.1.1.1/a?b=c#d',
  'HTTP://8.8.8.8:8080/x%20y',
  'http://[2606:4700::1111]/',
  'http://0x5db8d822/',
  'http://93.184.55330/',
  'https://93.184.216.34:443',
  'http://93.184.216.34?%5c',
  // As browsers take them.
  'http://8.8.8.8/x y',
  'http://93.184.216.34?\\',
  'http://93.184.216.34/ü?a[]={1|2}&b=100%',
];
export const otherUrls = [
  'http://127.0.0.1/',
  'http://localhost/',
  'http://localhost./',
  'http://10.0.0.1',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://2130706433/',
  'http://0/',
  'http://169.254.169.254/latest/meta-data/',
  'http://printer.local/',
  'http://intranet/',
  'ftp://93.184.216.34/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://user:pass@93.184.216.34/',
  'http://93.184.216.34\\@127.0.0.1/',
  ' http://93.184.216.34/',
  'http://93.184.216.34/\n',
  'http:93.184.216.34',
  'http:///93.184.216.34',
  '//93.184.216.34',
  '/path',
  '',
  'http://',
  'http://[::1',
  'http://93.184.216.34:99999/',
  'http://93.184.216.34:0/',
  'http://\ud800/',
  'http://\u0000/',
  `http://93.184.216.34/${'a'.repeat(9_000)}`,
];
const url: Rule = (value) => publicUrls.includes(String(value)) && typeof value === 'string';

export const shapes: Record<'screenshot' | 'pdf', Shape> = {
  screenshot: {
    url,
    full_page: boolean,
    format: oneOf('png', 'jpeg', 'webp'),
    width: integer(320, 3840),
    height: integer(320, 2160),
    response: oneOf('image', 'json'),
  },
  pdf: {
    url,
    paper_format: oneOf('letter', 'a4', 'legal'),
    landscape: boolean,
    print_background: boolean,
    prefer_css_page_size: boolean,
    scale: (value) => typeof value === 'number' && value >= 0.1 && value <= 2,
    margin: { inside: { top: margin, right: margin, bottom: margin, left: margin } },
    viewport: { inside: { width: integer(320, 3840), height: integer(320, 2160) } },
    wait_until: oneOf('load', 'domcontentloaded', 'networkidle0', 'networkidle2'),
    delay_ms: integer(0, 10_000),
    response: oneOf('pdf', 'json'),
  },
};

/** The fields of a body that break a rule. */
export function faultsIn(shape: Shape, value: unknown, path: string): Set<string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Set([path.slice(0, -1) || 'body']);
  const faults = new Set<string>();
  const given = new Map(Object.entries(value));
  for (const [name, content] of given) {
    const rule = Object.hasOwn(shape, name) ? shape[name] : undefined;
    // Long names are shortened.
    if (rule === undefined) faults.add(path + name.slice(0, 60));
    else if (typeof rule !== 'function')
      for (const fault of faultsIn(rule.inside, content, `${path}${name}.`)) faults.add(fault);
    else if (!rule(content)) faults.add(path + name);
  }
  if ('url' in shape && !given.has('url')) faults.add('url');
  return faults;
}

/** Not in the spec: margins that leave no room to print. */
export function leavesNoRoom(body: Record<string, unknown>): boolean {
  const sides = (body['margin'] ?? {}) as Record<string, number | string | undefined>;
  const inches = (side: string): number => {
    const given = sides[side] ?? 0;
    if (typeof given === 'number') return given / 96;
    const unit = { px: 96, in: 1, cm: 2.54, mm: 25.4 }[given.slice(-2)];
    return unit === undefined ? 0 : Number.parseFloat(given) / unit;
  };
  const paper = { letter: [8.5, 11], a4: [210 / 25.4, 297 / 25.4], legal: [8.5, 14] }[
    (body['paper_format'] as 'letter' | undefined) ?? 'letter'
  ] as [number, number];
  const [width, height] = body['landscape'] === true ? paper.toReversed() : paper;
  return inches('left') + inches('right') >= width! || inches('top') + inches('bottom') >= height!;
}
