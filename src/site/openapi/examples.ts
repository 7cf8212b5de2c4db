// Examples of every request and response. test/site/openapi-examples.test.ts sends each request to a service and compares the
// responses with these.
import type { TObject } from 'typebox';
import { errorTable } from '#core/errors.ts';
import { PdfMetadata, PdfRequest, ScreenshotMetadata, ScreenshotRequest } from '#api/v1/schemas.ts';
import { validate } from '#http/body/validate.ts';

const base = 'https://images.example.com';
const upload = {
  id: '4kXqW0cJ8hTzR2mLpVaN',
  slug: 'q7Xb2LmWz9',
  url: `${base}/i/q7Xb2LmWz9`,
  file_url: `${base}/f/q7Xb2LmWz9`,
  delete_url: `${base}/api/uploads/4kXqW0cJ8hTzR2mLpVaN/delete?token=8Jt5nVbQx2`,
  expires_at: '2026-11-17T09:30:00.000Z',
  size_bytes: 48213,
  content_type: 'image/png',
  filename: 'photo.png',
};
const refusedFile = {
  ok: false,
  index: 1,
  source_filename: 'notes.txt',
  error: { code: 'unsupported_type', message: errorTable.unsupported_type.example },
};
const storedFile = { ok: true, index: 0, source_filename: 'photo.png', upload };

/** Request bodies by operation; a file is named after `@`, as in curl. */
export const requests = {
  uploadImage: { 'a link for a day': { file: '@photo.png', expires_in: 86400 } },
  uploadImages: { 'two files': { file: ['@photo.png', '@notes.txt'], expires_in: 86400 } },
  captureScreenshot: {
    'a picture': { url: 'https://example.com/' },
    'a link to the whole page': {
      url: 'https://example.com/',
      full_page: true,
      format: 'webp',
      width: 1280,
      height: 800,
      response: 'json',
    },
  },
  renderPdf: {
    'a document': { url: 'https://example.com/' },
    'a link to A4 with margins': {
      url: 'https://example.com/',
      paper_format: 'a4',
      margin: { top: '2cm', right: 20, bottom: '2cm', left: 20 },
      wait_until: 'load',
      response: 'json',
    },
  },
} satisfies Record<string, Record<string, Record<string, unknown>>>;

const wholePage = requests.captureScreenshot['a link to the whole page'];
const withMargins = requests.renderPdf['a link to A4 with margins'];

/** The metadata of a render that was asked for with this request. */
function metadata<Made extends object>(
  [asked, answered]: [TObject, TObject],
  example: object,
  made: Made,
): Made & Record<string, unknown> {
  const values: Record<string, unknown> = { ...validate(asked, example), ...made };
  const fields = Object.keys(answered.properties).map((name) => [name, values[name]]);
  return Object.fromEntries(fields) as Made & Record<string, unknown>;
}

const screenshot = metadata([ScreenshotRequest, ScreenshotMetadata], wholePage, {
  id: 'a1B2c3D4e5F6g7H8i9J0',
  url: `${base}/s/a1B2c3D4e5F6g7H8i9J0`,
  duration_ms: 412,
  size_bytes: 91344,
});
const pdf = metadata([PdfRequest, PdfMetadata], withMargins, {
  id: 'k9L8m7N6o5P4q3R2s1T0',
  url: `${base}/p/k9L8m7N6o5P4q3R2s1T0`,
  duration_ms: 530,
  size_bytes: 20480,
});
const { url: target, ...options } = wholePage;
const { delete_url: _secret, ...kept } = upload;
const unit = { used: 120, limit: 10000, remaining: 9880, percent: 1, warning: null, overage: 0 };

export const answers = {
  UploadResult: upload,
  ScreenshotMetadata: screenshot,
  PdfMetadata: pdf,
  batchStored: { items: [storedFile], summary: { total: 1, succeeded: 1, failed: 0 } },
  batchMixed: { items: [storedFile, refusedFile], summary: { total: 2, succeeded: 1, failed: 1 } },
  batchFailed: { items: [{ ...refusedFile, index: 0 }], summary: { total: 1, succeeded: 0, failed: 1 } },
  Deleted: { id: upload.id, deleted: true },
  AccountUploads: {
    items: [
      {
        ...kept,
        width: 1200,
        height: 800,
        created_at: '2026-11-16T09:30:00.000Z',
        key_id: 'b7T2mZ0qXw1LpV5nRk8J',
      },
    ],
    next_cursor: null,
  },
  AccountRenders: {
    items: [
      {
        id: screenshot.id,
        kind: 'screenshot',
        target,
        status: 'done',
        failure: null,
        content_type: 'image/webp',
        size_bytes: screenshot.size_bytes,
        duration_ms: screenshot.duration_ms,
        options,
        url: screenshot.url,
        created_at: '2026-11-16T09:31:00.000Z',
        expires_at: null,
        key_id: 'b7T2mZ0qXw1LpV5nRk8J',
      },
    ],
    next_cursor: null,
  },
  AccountUsage: {
    plan: {
      id: 'starter',
      name: 'Starter',
      uploads_per_month: 10000,
      renders_per_month: 2000,
      requests_per_minute: 120,
      concurrent_renders: 3,
      overages: true,
      paid: true,
      max_link_seconds: null,
    },
    month: '2026-11',
    resets_at: '2026-12-01T00:00:00.000Z',
    units: { upload: unit, render: { ...unit, used: 40, limit: 2000, remaining: 1960, percent: 2 } },
    overages: { enabled: false, cap: null },
    requests: { limit: 120, remaining: 119, reset_seconds: 41 },
    key: { id: 'b7T2mZ0qXw1LpV5nRk8J', name: 'build server', scope: 'all', expires_at: null },
  },
} satisfies Record<string, object>;
