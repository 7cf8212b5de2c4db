// The contract as schemas: the types, the validation, the OpenAPI document and what the clients and the playground know of a field
// come from them. Spec 2, 4.
import { Type, type Static, type TProperties } from 'typebox';
import { Set as setFormat } from 'typebox/format';
import { errorCodes } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { asUsed, choice, flag, oneOf, optional, strict, used, within } from '#http/api/fields.ts';

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
export type UploadResult = Static<typeof UploadResult>;

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
const widthText = 'Viewport width, in CSS pixels.';
const heightText = 'Viewport height, in CSS pixels.';

const bytesOr = <T extends string>(bytes: T, description: string) =>
  Type.Optional(choice([bytes, 'json'], { default: bytes, description }));
const measure = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

const metadataOf = (options: TProperties, texts: { id: string; url: string }) =>
  Type.Object(
    {
      id: Type.String({ description: texts.id }),
      url: uri(texts.url),
      ...asUsed(options),
      duration_ms: measure('Render duration in milliseconds.'),
      size_bytes: measure('Size of the stored file in bytes.'),
    },
    strict,
  );

const pictureOptions = {
  format: oneOf(['png', 'jpeg', 'webp'], 'png', 'Image format.', 'Image format.'),
  width: Type.Integer(within(limits.viewportWidth, widthText, 'Viewport width used.')),
  height: Type.Integer(within(limits.viewportHeight, heightText, 'Viewport height used.')),
};
const fullPage = {
  full_page: flag(
    false,
    'Capture the full scrollable height.',
    'Whether the full scrollable height was captured.',
  ),
};

export const ScreenshotRequest = Type.Object(
  {
    url: target,
    ...optional({ ...fullPage, ...pictureOptions }),
    response: bytesOr('image', 'image: the encoded bytes; json: metadata with a hosted image URL.'),
  },
  strict,
);
export type ScreenshotRequest = Static<typeof ScreenshotRequest>;

export const ScreenshotMetadata = metadataOf(
  { ...pictureOptions, ...fullPage },
  { id: 'Unique capture id.', url: 'Hosted URL of the stored capture, not of the captured page.' },
);

const marginPx = 2000;
const marginCharacters = 16;

/** A number of CSS pixels, or a string with a unit. Spec 4.4. */
const marginSide = (side: string) =>
  Type.Union(
    [
      Type.Number({ minimum: 0, maximum: marginPx }),
      Type.String({
        maxLength: marginCharacters,
        pattern: '^(0|(\\d+(\\.\\d+)?|\\.\\d+)(px|in|cm|mm))$',
      }),
    ],
    {
      default: 0,
      description:
        `The ${side} margin: a number of CSS pixels from 0 to ${marginPx}, or a text of at most ` +
        `${marginCharacters} characters that is "0" or a number followed by px, in, cm or mm.`,
    },
  );

const pdfOptions = {
  paper_format: oneOf(['letter', 'a4', 'legal'], 'letter', 'Paper size.', 'Paper size used.'),
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
      width: Type.Integer(within(limits.viewportWidth, widthText)),
      height: Type.Integer(within(limits.viewportHeight, heightText)),
    }),
    {
      ...strict,
      default: {},
      description: 'Browser viewport applied before printing. Controls responsive layout, not paper size.',
      [used]: 'Viewport used.',
    },
  ),
  wait_until: oneOf(
    ['load', 'domcontentloaded', 'networkidle0', 'networkidle2'],
    'networkidle2',
    'What the page must have reached before it is printed.',
    'Readiness used.',
  ),
  delay_ms: Type.Integer(
    within(
      { min: 0, max: 10_000, default: 0 },
      'Extra wait after readiness, in milliseconds.',
      'Extra wait used.',
    ),
  ),
};

export const PdfRequest = Type.Object(
  {
    url: target,
    ...optional(pdfOptions),
    response: bytesOr('pdf', 'pdf: the bytes; json: metadata with a hosted PDF URL.'),
  },
  strict,
);
export type PdfRequest = Static<typeof PdfRequest>;

export const PdfMetadata = metadataOf(pdfOptions, {
  id: 'Unique render id.',
  url: 'Hosted URL of the stored PDF.',
});
