// The contract as schemas: the types, the validation, the OpenAPI document and what the clients and the playground know of a field
// come from them. Spec 2, 4.
import { Type, type Static, type TProperties } from 'typebox';
import { errorCodesOf } from '#core/errors.ts';
import { asUsed, choice, optional, strict, uri } from '#api/fields.ts';
import { fullPage, pdfOptions, pictureOptions, target } from '#api/render-fields.ts';

export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object(
      {
        code: choice(errorCodesOf(1), {
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
