// The messages that webhooks send, in the document of version 2. Spec 10.
import { Type } from 'typebox';
import type { WebhookEvent } from '#storage/schema.ts';
import { choice, strict } from '#api/fields.ts';
import { orNull } from '#api/v2/schemas.ts';
import { json, plain, reference } from '#site/openapi/content.ts';
import { renderAnswers, uploadAnswers } from '#site/openapi/examples-v2.ts';
import type { Json } from '#site/openapi/headers.ts';

const time = { format: 'date-time' };

const ReportedUpload = Type.Object(
  {
    id: Type.String({ description: 'The id of the upload.' }),
    url: Type.String({ format: 'uri', description: 'Its page.' }),
    file_url: Type.String({ format: 'uri', description: 'Its bytes.' }),
    filename: Type.String({ description: 'Its name.' }),
    content_type: Type.String({ description: 'The type of its bytes.' }),
    size_bytes: Type.Integer({ description: 'Its size in bytes.' }),
    width: orNull('integer', 'In pixels.'),
    height: orNull('integer', 'In pixels.'),
    sha256: Type.String({ description: 'The SHA-256 of its bytes, in hex.' }),
    created_at: Type.String({ ...time, description: 'When it was stored.' }),
    expires_at: orNull('string', 'When it is deleted; null for never.', time),
  },
  { ...strict, description: 'An upload, as webhooks report it.' },
);

const QuotaWarning = Type.Object(
  {
    unit: choice(['upload', 'render'], { description: 'The quota that it is about.' }),
    percent: Type.Integer({ description: '80, 90 or 100.' }),
    used: Type.Integer({ description: 'Units used this month.' }),
    limit: Type.Integer({ description: 'Units of the plan.' }),
    month: Type.String({ description: 'The month, such as 2026-11.' }),
    resets_at: Type.String({ ...time, description: 'When the next month begins.' }),
  },
  { ...strict, description: 'How much of a quota is used.' },
);

const { slug: _slug, delete_url: _delete, title: _title, tags: _tags, ...upload } = uploadAnswers.Upload;
const { album: _album, metadata_removed: _removed, has_password: _password, ...counted } = upload;
const { max_views: _max, views: _views, ...reportedUpload } = counted;
const { Render: succeeded } = renderAnswers;
const failed = {
  ...succeeded,
  state: 'failed',
  units: 0,
  duration_ms: null,
  timing: { queue_ms: null, load_ms: null, settle_ms: null, capture_ms: null, store_ms: null },
  page: { ...succeeded.page, final_url: null, status: null, title: null, width: null, height: null },
  outputs: [],
  warnings: [],
  error: {
    code: 'render_failed',
    message: 'url: example.com could not be loaded: its name does not resolve',
    field: 'url',
    reason: 'unreachable',
    retryable: true,
    request_id: '4kXqW0cJ8hTzR2mLpVaN',
  },
};
const texts = 'Texts that make the message larger than 256 KB are null; they are at their url.';

const messages: Record<WebhookEvent, { summary: string; description: string; of: Json; data: object }> = {
  'render.succeeded': {
    summary: 'A render has succeeded',
    description: texts,
    of: reference('Render'),
    data: succeeded,
  },
  'render.failed': {
    summary: 'A render has failed',
    description: 'It cost nothing.',
    of: reference('Render'),
    data: failed,
  },
  'upload.created': {
    summary: 'An upload is stored',
    description: 'Each file of a batch has its own message.',
    of: plain(ReportedUpload),
    data: reportedUpload,
  },
  'upload.deleted': {
    summary: 'An upload is deleted',
    description: 'Expiry is not reported.',
    of: plain(ReportedUpload),
    data: reportedUpload,
  },
  'quota.warning': {
    summary: '80, 90 or 100 % of a quota are used',
    description: 'Once for each of them and month.',
    of: plain(QuotaWarning),
    data: {
      unit: 'upload',
      percent: 80,
      used: 1600,
      limit: 2000,
      month: '2026-11',
      resets_at: '2026-12-01T00:00:00.000Z',
    },
  },
};

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});
const signature = [
  header('webhook-id', 'The same at every attempt.', 'msg_a1B2c3D4e5F6g7H8i9J0'),
  header('webhook-timestamp', 'Seconds since 1970, of the attempt.', '1794821460'),
  header(
    'webhook-signature',
    'One for each secret that is valid.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** The endpoints are added in the dashboard. */
export const webhooks: Json = Object.fromEntries(
  Object.entries(messages).map(([type, { summary, description, of, data }]) => [
    type,
    {
      post: {
        operationId: type.replace(/\.(\w)/, (_, first: string) => first.toUpperCase()),
        tags: ['Webhooks'],
        summary,
        description: `${description} Signed as Standard Webhooks say, and sent at least once.`,
        security: [],
        parameters: signature,
        requestBody: {
          required: true,
          content: json(
            {
              type: 'object',
              required: ['type', 'timestamp', 'data'],
              additionalProperties: false,
              properties: {
                type: { type: 'string', const: type, description: 'What happened.' },
                timestamp: { type: 'string', ...time, description: 'When it happened.' },
                data: of,
              },
            },
            { message: { type, timestamp: '2026-11-16T09:31:00.640Z', data } },
          ),
        },
        responses: {
          '2XX': { description: 'Taken. After anything else, it is sent again: eight times over a day.' },
        },
      },
    },
  ]),
);
