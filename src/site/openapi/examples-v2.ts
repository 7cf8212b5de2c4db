// Examples of the requests and responses of version 2. test/site/openapi-v2.test.ts sends each request to a service and compares the
// responses with these.
import { errorTable, type ErrorCode } from '#core/errors.ts';

const base = 'https://images.example.com';
const id = 'a1B2c3D4e5F6g7H8i9J0';

/** Bodies of POST /api/v2/renders. */
export const renderRequests = {
  'a picture': { url: 'https://example.com/' },
  'a dark full page for a retina screen': {
    url: 'https://example.com/',
    format: 'webp',
    full_page: true,
    viewport: { width: 1280, pixel_ratio: 2 },
    color_scheme: 'dark',
    block: ['cookie_banners'],
  },
  'a picture and the text of one load': {
    url: 'https://example.com/',
    outputs: [{ format: 'png' }, { format: 'markdown', main_content: true }],
    response: 'json',
    reference: 'article 7',
  },
  'an element of a page behind a token': {
    url: 'https://example.com/',
    selector: 'h1',
    headers: { authorization: 'Bearer 8Jt5nVbQx2' },
    wait_for: 'h1',
  },
  'an invoice from HTML': {
    html: '<!doctype html><title>Invoice 7</title><h1>Invoice 7</h1><p>Total: 120 €',
    format: 'pdf',
    paper_format: 'a4',
    margin: { top: '2cm', bottom: '2cm' },
  },
  'a report, later': {
    url: 'https://example.com/',
    format: 'pdf',
    async: true,
    reference: 'report 7',
  },
} satisfies Record<string, object>;

/** Bodies of POST /api/v2/links. */
export const linkRequests = {
  'a picture of a page, a day old at most': { url: 'https://example.com/', max_age: 86_400 },
  'a social card': {
    html: '<body style="font: 64px sans-serif; background: #123; color: #fff"><h1>Release 2</h1>',
    viewport: { width: 1200, height: 630 },
    valid_until: '2099-12-31T00:00:00Z',
  },
} satisfies Record<string, object>;

export const linkAnswers = {
  Link: {
    url: `${base}/r/lk_a1B2c3D4e5F6g7H8i9J0/eyJtYXhfYWdlIjo4NjQwMCwidXJsIjoiaHR0cHM6Ly9leGFtcGxlLmNvbS8ifQ/BsKDnMAGi2MTh_Nwgc_gXrtnBfnNczZbMTInBikNP0A`,
  },
} as const;

/** A form: the files are named after `@`, as in curl. */
export const formRequests = {
  'a document with a picture': {
    request: { html: '<img src="img/logo.png">', format: 'pdf' },
    file: ['@img/logo.png'],
  },
} satisfies Record<string, object>;

const output = {
  format: 'png',
  url: `${base}/s/${id}`,
  content_type: 'image/png',
  width: 1440,
  height: 900,
  pages: null,
  size_bytes: 91344,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  truncated: false,
  difference: null,
  changed_box: null,
  text: null,
  data: null,
};

const Render = {
  id,
  state: 'succeeded',
  reference: renderRequests['a picture and the text of one load'].reference,
  created_at: '2026-11-16T09:31:00.000Z',
  finished_at: '2026-11-16T09:31:00.640Z',
  expires_at: null,
  cached: false,
  units: 1,
  duration_ms: 612,
  timing: { queue_ms: 1, load_ms: 310, settle_ms: 42, capture_ms: 214, store_ms: 9 },
  page: {
    source: 'url',
    url: 'https://example.com/',
    final_url: 'https://example.com/',
    status: 200,
    title: 'Example Domain',
    width: 1440,
    height: 900,
  },
  outputs: [
    output,
    {
      ...output,
      format: 'markdown',
      url: `${base}/s/${id}-1`,
      content_type: 'text/markdown; charset=utf-8',
      width: null,
      height: null,
      size_bytes: 24,
      text: '# Example Domain\n\nHello.',
    },
  ],
  warnings: [
    {
      code: 'request_failed',
      message: 'an image could not be loaded',
      url: 'https://cdn.example.com/photo.jpg',
    },
  ],
  error: null,
};

const Queued = {
  ...Render,
  state: 'queued',
  finished_at: null,
  units: 0,
  duration_ms: null,
  timing: { queue_ms: null, load_ms: null, settle_ms: null, capture_ms: null, store_ms: null },
  page: {
    source: 'url',
    url: 'https://example.com/',
    final_url: null,
    status: null,
    title: null,
    width: null,
    height: null,
  },
  outputs: [],
  warnings: [],
};

/** Receipts of renders without a result. */
export const receipts = {
  queued: Queued,
  canceled: { ...Queued, state: 'canceled', finished_at: Render.finished_at },
};

export const renderAnswers = {
  Render,
  RenderList: {
    items: [{ ...Render, outputs: Render.outputs.map((made) => ({ ...made, text: null })) }],
    next_cursor: null,
  },
  Deleted: { id, deleted: true },
};

/** Forms of POST /api/v2/uploads: the file is named after `@`, as in curl. */
export const uploadForms = {
  'a photo with tags': {
    file: '@photo.jpg',
    title: 'The beach',
    tags: ['holiday', 'sea'],
    expires_in: 86400,
  },
} satisfies Record<string, object>;

/** JSON bodies of POST /api/v2/uploads. */
export const uploadsFromUrl = {
  'a picture of another site': { url: 'https://example.com/photo.jpg', tags: ['holiday'] },
} satisfies Record<string, object>;

/** Bodies of PATCH /api/v2/uploads/{id}. */
export const uploadChanges = {
  'other tags, no expiry': { tags: ['holiday'], expires_in: null },
  'another name': { filename: 'beach.jpg', title: 'At the beach' },
  'more views': { max_views: 10 },
} satisfies Record<string, object>;

const Upload = {
  id,
  slug: 'Xk3v9QpL',
  url: `${base}/i/Xk3v9QpL`,
  file_url: `${base}/f/Xk3v9QpL`,
  delete_url: `${base}/api/uploads/${id}/delete?token=8Jt5nVbQx2`,
  expires_at: '2026-11-17T09:31:00.000Z',
  size_bytes: 48211,
  content_type: 'image/jpeg',
  filename: 'photo.jpg',
  width: 1600,
  height: 1200,
  sha256: output.sha256,
  title: uploadForms['a photo with tags'].title,
  tags: uploadForms['a photo with tags'].tags,
  album: null,
  metadata_removed: ['gps', 'camera', 'time'],
  created_at: '2026-11-16T09:31:00.000Z',
  has_password: false,
  max_views: null,
  views: 0,
};

export const uploadAnswers = {
  Upload,
  UploadList: { items: [{ ...Upload, delete_url: null }], next_cursor: null },
  Usage: {
    month: '2026-11',
    resets_at: '2026-12-01T00:00:00.000Z',
    upload: { used: 40, limit: 2000, percent: 2, overage: 0 },
    render: { used: 12, limit: 1000, percent: 1, overage: 0 },
    requests: { limit: 120, remaining: 119, reset: 41 },
    renders: { running: 1, queued: 0, cap: 5 },
  },
  Deleted: { id, deleted: true },
};

/** Bodies of POST /api/v2/albums. */
export const albumRequests = {
  'a holiday': { title: 'At the sea', description: 'A week in May.', expires_in: 2592000 },
} satisfies Record<string, object>;

/** Bodies of PATCH /api/v2/albums/{id}. */
export const albumChanges = {
  'another title, no expiry': { title: 'By the sea', expires_in: null },
} satisfies Record<string, object>;

/** Bodies of POST /api/v2/upload_links. */
export const uploadLinkRequests = {
  'pictures of guests': { max_files: 200, expires_in: 604800, title: 'Your pictures of the day' },
} satisfies Record<string, object>;

const Album = {
  id: 'b2C3d4E5f6G7h8I9j0K1',
  slug: 'Hq7w2LmZ',
  url: `${base}/a/Hq7w2LmZ`,
  title: albumRequests['a holiday'].title,
  description: albumRequests['a holiday'].description,
  count: 0,
  cover_url: null,
  created_at: '2026-11-16T09:31:00.000Z',
  expires_at: '2026-12-16T09:31:00.000Z',
};

const UploadLink = {
  id: 'c3D4e5F6g7H8i9J0k1L2',
  url: `${base}/u/4GxR7s8YpQd2`,
  token: '4GxR7s8YpQd2',
  title: uploadLinkRequests['pictures of guests'].title,
  album: null,
  max_files: 200,
  max_bytes: 10485760,
  used_files: 0,
  used_bytes: 0,
  created_at: '2026-11-16T09:31:00.000Z',
  expires_at: '2026-11-23T09:31:00.000Z',
};

export const albumAnswers = {
  Album,
  AlbumList: { items: [Album], next_cursor: null },
  UploadLink,
  UploadLinkList: { items: [{ ...UploadLink, url: null, token: null }], next_cursor: null },
  Deleted: { id: Album.id, deleted: true },
  Sent: { ...Upload, delete_url: null, expires_at: null, title: null, tags: [] },
};

/** What differs from the examples of version 1. */
const messages: Partial<Record<ErrorCode, string>> = {
  method_not_allowed: 'Only GET, HEAD, POST works here.',
  validation_error: 'outputs[1].quality: does not fit png, only jpeg, webp; leave it out or change format',
};
const details: Partial<Record<ErrorCode, object>> = {
  validation_error: { field: 'outputs[1].quality' },
  request_too_large: { field: 'body' },
  fetch_failed: { field: 'url', reason: 'http_error' },
  render_failed: { field: 'url', reason: 'unreachable' },
};

export const errorExample = (code: ErrorCode): object => ({
  error: {
    code,
    message: messages[code] ?? errorTable[code].example,
    ...details[code],
    retryable: errorTable[code].retryable,
    request_id: '4kXqW0cJ8hTzR2mLpVaN',
  },
});
