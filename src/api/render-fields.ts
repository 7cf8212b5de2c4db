// The fields that renders of both versions have. Spec 4.3, 4.4.
import { Type } from 'typebox';
import { Set as setFormat } from 'typebox/format';
import { limits } from '#core/limits.ts';
import { flag, oneOf, optional, saying, strict, unit, used, within } from '#api/fields.ts';

// Only documented here: renders/target-url.ts checks addresses as browsers do, which accept letters of every language, spaces and
// brackets, and it never repeats a password.
setFormat('uri', () => true);

export const target = Type.String({
  format: 'uri',
  description: 'Public http(s) address. localhost, private hosts and internal IP ranges are rejected.',
});
const widthText = 'Viewport width, in CSS pixels.';
const heightText = 'Viewport height, in CSS pixels.';

export const pictureOptions = {
  format: oneOf(['png', 'jpeg', 'webp'], 'png', 'Image format.', 'Image format.'),
  width: Type.Integer({ ...within(limits.viewportWidth, widthText, 'Viewport width used.'), ...unit('px') }),
  height: Type.Integer({
    ...within(limits.viewportHeight, heightText, 'Viewport height used.'),
    ...unit('px'),
  }),
};
export const fullPage = {
  full_page: flag(
    false,
    'Capture the full scrollable height.',
    'Whether the full scrollable height was captured.',
  ),
};

const lengthCharacters = 16;

/** A number of CSS pixels, or a string with a unit. Spec 4.4. */
export function length(what: string, px: { min: number; max: number }, options: { default?: number } = {}) {
  const kinds =
    `a number of CSS pixels from ${px.min} to ${px.max}, or a text of at most ` +
    `${lengthCharacters} characters that is "0" or a number followed by px, in, cm or mm`;
  return Type.Union(
    [
      Type.Number({ minimum: px.min, maximum: px.max }),
      Type.String({
        maxLength: lengthCharacters,
        pattern: '^(0|(\\d+(\\.\\d+)?|\\.\\d+)(px|in|cm|mm))$',
      }),
    ],
    {
      ...options,
      ...saying(what, kinds),
    },
  );
}

const marginSide = (side: string) => length(`The ${side} margin`, { min: 0, max: 2000 }, { default: 0 });

export const paperText = 'Paper size.';
export const lifecycleEvents = ['load', 'domcontentloaded', 'networkidle0', 'networkidle2'] as const;

export const pdfOptions = {
  paper_format: oneOf(['letter', 'a4', 'legal'], 'letter', paperText, 'Paper size used.'),
  landscape: flag(false, 'Rotates the paper to landscape.', 'Orientation used.'),
  print_background: flag(
    true,
    'Include CSS background colors and images.',
    'Whether backgrounds were printed.',
  ),
  prefer_css_page_size: flag(
    false,
    'A CSS page size defined by the page overrides paper_format.',
    "Whether the page's CSS page size was preferred.",
  ),
  scale: Type.Number(
    within({ min: 0.1, max: 2, default: 1 }, 'Scale of the printed content.', 'Scale used.'),
  ),
  margin: Type.Object(
    optional({
      top: marginSide('top'),
      right: marginSide('right'),
      bottom: marginSide('bottom'),
      left: marginSide('left'),
    }),
    { ...strict, default: {}, description: 'Margins of the paper.', [used]: 'Margins used.' },
  ),
  viewport: Type.Object(
    optional({
      width: Type.Integer({ ...within(limits.viewportWidth, widthText), ...unit('px') }),
      height: Type.Integer({ ...within(limits.viewportHeight, heightText), ...unit('px') }),
    }),
    {
      ...strict,
      default: {},
      description: 'Browser viewport applied before printing. Controls responsive layout, not paper size.',
      [used]: 'Viewport used.',
    },
  ),
  wait_until: oneOf(
    lifecycleEvents,
    'networkidle2',
    'What the page must have reached before it is printed.',
    'Readiness used.',
  ),
  delay_ms: Type.Integer({
    ...within(
      { min: 0, max: 10_000, default: 0 },
      'Extra wait after readiness, in milliseconds.',
      'Extra wait used.',
    ),
    ...unit('ms'),
  }),
};
