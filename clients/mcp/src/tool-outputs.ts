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
  title: { type: ['string', 'null'] },
  tags: { type: 'array', items: text },
  album: { type: ['string', 'null'] },
  metadata_removed: { type: 'array', items: text, description: 'What was found in the file and removed.' },
  created_at: text,
  has_password: { type: 'boolean' },
  max_views: { type: ['integer', 'null'] },
  views: { ...whole, description: 'How often visitors were shown it; at max_views its link has ended.' },
});

export const listResult = result({
  items: { type: 'array', items: { type: 'object' } },
  next_cursor: {
    type: ['string', 'null'],
    description: 'The cursor of the next page; null on the last one.',
  },
});

export const deletedResult = result({ id: text, deleted: { type: 'boolean' } });

export const usageResult = result({
  month: text,
  resets_at: text,
  upload: { type: 'object' },
  render: { type: 'object' },
  requests: { type: 'object' },
  renders: { type: 'object' },
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

export const renderResult = result(
  {
    id: text,
    content_type: { ...text, description: 'Of the result in full size, or of what is shown of it.' },
    size_bytes: whole,
    units: { ...whole, description: 'What it cost.' },
    warnings: {
      type: 'array',
      items: { type: 'object' },
      description: 'What failed to load, was cut, and the like.',
    },
  },
  {
    page_url: { ...text, description: 'The page, where it was found in the end.' },
    page_status: whole,
    page_title: text,
    width: whole,
    height: whole,
    pages: { ...whole, description: 'Of a PDF.' },
    difference: { type: 'number', description: 'With compare_to: the part of the pixels that has changed.' },
    changed_box: { type: ['object', 'null'] },
    duration_ms: whole,
    shown: { type: 'object', description: 'Which parts of a tall page are shown, and how to see the next.' },
    saved_to: { ...text, description: 'The local file, in full size.' },
    link: { ...text, description: 'Where the service hosts the result, in full size.' },
    expires_at: { ...text, description: 'When the link expires.' },
  },
);
