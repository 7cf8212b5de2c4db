// The structured results of the tools, as JSON Schemas. A newer service may add fields, so additional ones are allowed.
import type { Tool } from './protocol.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };

/** The fields that are always there, and those that depend on the input. */
function result(
  always: Record<string, object>,
  sometimes: Record<string, object> = {},
): Tool['outputSchema'] {
  return { type: 'object', required: Object.keys(always), properties: { ...always, ...sometimes } };
}

export const uploadResult = result({
  id: text,
  slug: text,
  url: { ...text, description: 'The share page.' },
  file_url: { ...text, description: 'The image itself.' },
  expires_at: { type: ['string', 'null'] },
  size_bytes: whole,
  content_type: text,
  filename: text,
});

export const uploadsResult = result({
  items: {
    type: 'array',
    items: result(
      { ok: { type: 'boolean' }, index: whole, source_filename: text },
      { upload: uploadResult, error: result({ code: text, message: text }) },
    ),
  },
  summary: result({ total: whole, succeeded: whole, failed: whole }),
});

export const screenshotResult = result(
  {
    id: text,
    url: { ...text, description: 'The captured page.' },
    content_type: text,
    size_bytes: { ...whole, description: 'Of the picture in full size.' },
  },
  {
    duration_ms: whole,
    saved_to: { ...text, description: 'The local file, in full size.' },
    link: { ...text, description: 'Where the service hosts the picture, in full size.' },
    shown_width: { ...whole, description: 'Of the picture in this answer, which may be scaled.' },
    shown_height: whole,
  },
);

export const renderResult = result(
  { id: text, content_type: text, size_bytes: { ...whole, description: 'Of the result.' } },
  {
    page_status: whole,
    warning_count: { ...whole, description: 'What failed to load, was cut, and the like.' },
    warnings: { type: 'array', items: { type: 'object' } },
    page: { type: 'object' },
    saved_to: { ...text, description: 'The local file.' },
    link: { ...text, description: 'Where the service hosts the result.' },
  },
);

export const pdfResult = result(
  { id: text, url: { ...text, description: 'The printed page.' } },
  {
    size_bytes: { type: ['integer', 'null'] },
    duration_ms: { type: ['integer', 'null'] },
    saved_to: { ...text, description: 'The local file.' },
    link: { ...text, description: 'Where the service hosts the document.' },
  },
);
