// The contract as schemas: the types, the validation and the OpenAPI document come from them. Spec 2, 4.
import { Type, type Static } from 'typebox';
import { Set as setFormat } from 'typebox/format';
import { errorCodes } from '#core/errors.ts';
import { limits } from '#core/limits.ts';

const strict = { additionalProperties: false };
const choice = <T extends string>(values: readonly T[], options: { default?: T; description: string }) =>
  Type.Unsafe<T>({ type: 'string', enum: values, ...options });
const pixels = (
  { min, max, default: fallback }: { min: number; max: number; default: number },
  what: string,
) =>
  Type.Optional(
    Type.Integer({ minimum: min, maximum: max, default: fallback, description: `${what}, in CSS pixels.` }),
  );
const uri = (description: string) => Type.String({ format: 'uri', description });

export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object(
      {
        code: choice(errorCodes, {
          description: 'A stable machine-readable value.',
        }),
        message: Type.String({ description: 'For people; names the failing field where there is one.' }),
      },
      strict,
    ),
  },
  { ...strict, description: 'Every error has this shape.' },
);

export const UploadResult = Type.Object(
  {
    id: Type.String({ description: 'Unique upload id.' }),
    slug: Type.String({ description: 'Short slug used in share URLs.' }),
    url: uri('Share page that shows the image in a viewer.'),
    file_url: uri('Direct URL of the raw image bytes.'),
    delete_url: uri('Deletes the upload without further authentication. It is a secret.'),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the link stops resolving and the file is deleted; null when no expiry is scheduled.',
    }),
    size_bytes: Type.Integer({ description: 'Stored size, measured after SVG sanitization.' }),
    content_type: choice(
      ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml', 'image/avif'],
      {
        description: "Detected from the file's bytes, not from the declared type.",
      },
    ),
    filename: Type.String({ description: 'Sanitized stored filename.' }),
  },
  strict,
);

export const BatchResult = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          ok: Type.Boolean({ description: 'Whether this file was stored.' }),
          index: Type.Integer({ description: 'Zero-based position of the file in the request.' }),
          source_filename: Type.String({ description: 'Filename as submitted.' }),
          upload: Type.Optional(UploadResult),
          error: Type.Optional(
            Type.Object(
              {
                code: choice(
                  ['file_too_large', 'unsupported_type', 'validation_error', 'quota_exceeded', 'internal'],
                  { description: 'Why this file was not stored.' },
                ),
                message: Type.String(),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
      { description: 'One entry per submitted file, in request order.' },
    ),
    summary: Type.Object(
      { total: Type.Integer(), succeeded: Type.Integer(), failed: Type.Integer() },
      { ...strict, description: 'Counts.' },
    ),
  },
  strict,
);

// Only documented here: renders/target-url.ts checks addresses as browsers do, which accept letters of every language, spaces and
// brackets, and it never repeats a password.
setFormat('uri', () => true);

const target = Type.String({
  format: 'uri',
  description: 'Public http(s) address. localhost, private hosts and internal IP ranges are rejected.',
});
const duration = Type.Union([Type.Integer(), Type.Null()], {
  description: 'Render duration in milliseconds.',
});
const size = Type.Union([Type.Integer(), Type.Null()], { description: 'Size of the stored file in bytes.' });

export const ScreenshotRequest = Type.Object(
  {
    url: target,
    full_page: Type.Optional(
      Type.Boolean({ default: false, description: 'Capture the full scrollable height.' }),
    ),
    format: Type.Optional(choice(['png', 'jpeg', 'webp'], { default: 'png', description: 'Image format.' })),
    width: pixels(limits.viewportWidth, 'Viewport width'),
    height: pixels(limits.viewportHeight, 'Viewport height'),
    response: Type.Optional(
      choice(['image', 'json'], {
        default: 'image',
        description: 'image: the encoded bytes; json: metadata with a hosted image URL.',
      }),
    ),
  },
  strict,
);
export type ScreenshotRequest = Static<typeof ScreenshotRequest>;

export const ScreenshotMetadata = Type.Object(
  {
    id: Type.String({ description: 'Unique capture id.' }),
    url: uri('Hosted URL of the stored capture, not of the captured page.'),
    format: choice(['png', 'jpeg', 'webp'], { description: 'Image format.' }),
    width: Type.Integer({ description: 'Viewport width used.' }),
    height: Type.Integer({ description: 'Viewport height used.' }),
    full_page: Type.Boolean({ description: 'Whether the full scrollable height was captured.' }),
    duration_ms: duration,
    size_bytes: size,
  },
  strict,
);

/** A number of CSS pixels, or a string with a unit. Spec 4.4. */
const marginSide = (side: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Number({ minimum: 0, maximum: limits.marginPx }),
        Type.String({
          maxLength: limits.marginCharacters,
          pattern: '^(0|(\\d+(\\.\\d+)?|\\.\\d+)(px|in|cm|mm))$',
        }),
      ],
      {
        default: 0,
        description:
          `The ${side} margin: a number of CSS pixels from 0 to ${limits.marginPx}, or a text of at most ` +
          `${limits.marginCharacters} characters that is "0" or a number followed by px, in, cm or mm.`,
      },
    ),
  );

const marginSides = {
  top: marginSide('top'),
  right: marginSide('right'),
  bottom: marginSide('bottom'),
  left: marginSide('left'),
};

export const PdfRequest = Type.Object(
  {
    url: target,
    paper_format: Type.Optional(
      choice(['letter', 'a4', 'legal'], { default: 'letter', description: 'Paper size.' }),
    ),
    landscape: Type.Optional(
      Type.Boolean({ default: false, description: 'Rotates the paper to landscape.' }),
    ),
    print_background: Type.Optional(
      Type.Boolean({ default: true, description: 'Include CSS background colors and images.' }),
    ),
    prefer_css_page_size: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'A CSS page size defined by the page overrides paper_format.',
      }),
    ),
    scale: Type.Optional(
      Type.Number({
        minimum: limits.pdfScale.min,
        maximum: limits.pdfScale.max,
        default: limits.pdfScale.default,
        description: 'Scale of the printed content.',
      }),
    ),
    margin: Type.Optional(
      Type.Object(marginSides, { ...strict, default: {}, description: 'Margins of the paper.' }),
    ),
    viewport: Type.Optional(
      Type.Object(
        {
          width: pixels(limits.viewportWidth, 'Viewport width'),
          height: pixels(limits.viewportHeight, 'Viewport height'),
        },
        {
          ...strict,
          default: {},
          description:
            'Browser viewport applied before printing. Controls responsive layout, not paper size.',
        },
      ),
    ),
    wait_until: Type.Optional(
      choice(['load', 'domcontentloaded', 'networkidle0', 'networkidle2'], {
        default: 'networkidle2',
        description: 'What the page must have reached before it is printed.',
      }),
    ),
    delay_ms: Type.Optional(
      Type.Integer({
        minimum: limits.pdfDelayMs.min,
        maximum: limits.pdfDelayMs.max,
        default: limits.pdfDelayMs.default,
        description: 'Extra wait after readiness, in milliseconds.',
      }),
    ),
    response: Type.Optional(
      choice(['pdf', 'json'], {
        default: 'pdf',
        description: 'pdf: the bytes; json: metadata with a hosted PDF URL.',
      }),
    ),
  },
  strict,
);
export type PdfRequest = Static<typeof PdfRequest>;

const usedMargin = Type.Union([Type.Number(), Type.String()]);

export const PdfMetadata = Type.Object(
  {
    id: Type.String({ description: 'Unique render id.' }),
    url: uri('Hosted URL of the stored PDF.'),
    paper_format: choice(['letter', 'a4', 'legal'], { description: 'Paper size used.' }),
    landscape: Type.Boolean({ description: 'Orientation used.' }),
    print_background: Type.Boolean({ description: 'Whether backgrounds were printed.' }),
    prefer_css_page_size: Type.Boolean({ description: "Whether the page's CSS page size was preferred." }),
    scale: Type.Number({ description: 'Scale used.' }),
    margin: Type.Object(
      { top: usedMargin, right: usedMargin, bottom: usedMargin, left: usedMargin },
      { ...strict, description: 'Margins used.' },
    ),
    viewport: Type.Object(
      { width: Type.Integer(), height: Type.Integer() },
      { ...strict, description: 'Viewport used.' },
    ),
    wait_until: choice(['load', 'domcontentloaded', 'networkidle0', 'networkidle2'], {
      description: 'Readiness used.',
    }),
    delay_ms: Type.Integer({ description: 'Extra wait used.' }),
    duration_ms: duration,
    size_bytes: size,
  },
  strict,
);
