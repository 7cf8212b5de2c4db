// Builds the OpenAPI 3.1 document from the schemas that validate. Spec 9.
import type { TSchema } from 'typebox';
import { errorTable, type ErrorCode } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import * as schemas from '#http/api/schemas.ts';

type Json = Record<string, unknown>;

const budgetHeaders = {
  'x-service-ratelimit-limit': header('integer', "Requests allowed per minute on the account's plan."),
  'x-service-ratelimit-remaining': header('integer', 'Requests left in the current one-minute window.'),
  'x-service-ratelimit-reset': header(
    'integer',
    'Seconds until the window rolls over and the budget refills.',
  ),
};
const quotaHeaders = {
  'x-service-quota-limit': header('integer', 'Monthly allowance for this unit type on the plan.'),
  'x-service-quota-remaining': header('integer', 'Units left this month; floors at 0.'),
  'x-service-quota-usage-percent': header('integer', 'Whole-number percentage of quota used this month.'),
  'x-service-quota-warning': header(
    'integer',
    '80, 90 or 100; present only once usage has crossed that threshold.',
  ),
  'x-service-overage': header(
    'string',
    '"true" when the unit just consumed was past quota and billed as an overage.',
  ),
};
const renderHeaders = {
  'x-service-id': header('string', 'Capture id; on byte responses only.'),
  'x-service-duration-ms': header('integer', 'Render duration in milliseconds; on byte responses only.'),
};

const expiresIn = {
  type: 'integer',
  minimum: limits.expiresInSeconds.min,
  maximum: limits.expiresInSeconds.max,
  description:
    'Seconds until the link expires. If omitted: no scheduled expiry on a paid plan, 30 days on the Free plan, ' +
    'which caps every value at 30 days.',
};
const image = {
  type: 'string',
  contentMediaType: 'application/octet-stream',
  description: 'PNG, JPEG, GIF, WebP, SVG or AVIF, told from its bytes. At most 10 MB.',
};

const everyEndpoint: ErrorCode[] = [
  'unauthorized',
  'quota_exceeded',
  'method_not_allowed',
  'validation_error',
  'rate_limited',
  'internal',
];
const uploadErrors: ErrorCode[] = [...everyEndpoint, 'file_too_large', 'unsupported_type'];
const renderErrors: ErrorCode[] = [...everyEndpoint, 'concurrency_limited'];

export function buildOpenapi(baseUrl: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tintype',
      version: '1.2.0',
      summary: 'Upload images, capture web pages, print them to PDF.',
      description:
        'Stores images and returns share links, captures public web pages as images, and prints public web pages to PDF. ' +
        'Rate limit and quota belong to the account and are shared by all of its keys.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Uploads', description: 'Store images and get links.' },
      { name: 'Renders', description: 'See public web pages.' },
    ],
    paths: {
      '/api/v1/upload': {
        post: operation('uploadImage', 'Uploads', 'Store one image', uploadErrors, {
          requestBody: form({ file: image, expires_in: expiresIn }),
          responses: { 201: answer('Stored.', 'UploadResult', { ...budgetHeaders, ...quotaHeaders }) },
        }),
      },
      '/api/v1/upload/batch': {
        post: operation(
          'uploadImages',
          'Uploads',
          'Store up to ten images',
          [...uploadErrors, 'batch_too_large', 'too_many_files'],
          {
            requestBody: form({
              file: { type: 'array', items: image, minItems: 1, maxItems: limits.batchFiles },
              expires_in: expiresIn,
            }),
            responses: {
              201: answer('Every file was stored.', 'BatchResult', { ...budgetHeaders, ...quotaHeaders }),
              207: answer('Some files were stored; each item says which.', 'BatchResult', {
                ...budgetHeaders,
                ...quotaHeaders,
              }),
            },
            batch: true,
          },
        ),
      },
      '/api/v1/screenshot': {
        post: operation(
          'captureScreenshot',
          'Renders',
          'Capture a page as an image',
          [...renderErrors, 'capture_failed'],
          {
            requestBody: json('ScreenshotRequest'),
            responses: {
              200: bytesOr(['image/png', 'image/jpeg', 'image/webp'], 'ScreenshotMetadata', 'The picture.'),
            },
          },
        ),
      },
      '/api/v1/pdf': {
        post: operation('renderPdf', 'Renders', 'Print a page to PDF', [...renderErrors, 'render_failed'], {
          requestBody: json('PdfRequest'),
          responses: { 200: bytesOr(['application/pdf'], 'PdfMetadata', 'The document.') },
        }),
      },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the account, which begins with tt_.',
        },
      },
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plain(schema)])),
    },
  };
}

function operation(
  operationId: string,
  tag: string,
  summary: string,
  codes: ErrorCode[],
  rest: { requestBody: Json; responses: Record<number, Json>; batch?: boolean },
): Json {
  const { batch = false, requestBody, responses } = rest;
  return {
    operationId,
    tags: [tag],
    summary,
    parameters: [idempotencyKey],
    requestBody,
    responses: { ...responses, ...errorAnswers(codes, batch) },
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A repeat with the same key within 24 hours replays the stored answer and is not metered again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** One answer per status, naming the codes that have it; a batch of which every file failed still has the batch body. */
function errorAnswers(codes: ErrorCode[], batch: boolean): Record<number, Json> {
  const byStatus = Map.groupBy(codes, (code) => errorTable[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const headers = {
        ...budgetHeaders,
        ...(status === 402 && {
          'x-service-quota-limit': quotaHeaders['x-service-quota-limit'],
          'x-service-quota-remaining': quotaHeaders['x-service-quota-remaining'],
        }),
        ...(status === 405 && { Allow: header('string', 'The methods that work here.') }),
        ...(status === 429 && { 'Retry-After': header('integer', 'Seconds to wait before retrying.') }),
      };
      const names = group.map((code) => `\`${code}\``).join(' or ');
      const isBatchBody = batch && [402, 413, 415, 422, 500].includes(status);
      const schema = isBatchBody
        ? { oneOf: [reference('ErrorEnvelope'), reference('BatchResult')] }
        : reference('ErrorEnvelope');
      return [status, { description: names, headers, content: { 'application/json': { schema } } }];
    }),
  );
}

function answer(description: string, schema: string, headers: Json): Json {
  return { description, headers, content: { 'application/json': { schema: reference(schema) } } };
}

function bytesOr(types: string[], metadata: string, description: string): Json {
  const bytes = types.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }] as const);
  return {
    description,
    headers: { ...budgetHeaders, ...quotaHeaders, ...renderHeaders },
    content: { ...Object.fromEntries(bytes), 'application/json': { schema: reference(metadata) } },
  };
}

function form(properties: Json): Json {
  const schema = { type: 'object', required: ['file'], additionalProperties: false, properties };
  return { required: true, content: { 'multipart/form-data': { schema } } };
}

function json(schema: string): Json {
  return { required: true, content: { 'application/json': { schema: reference(schema) } } };
}

function header(type: string, description: string): Json {
  return { description, schema: { type } };
}

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Without the symbols that the schema library keeps for itself. */
const plain = (schema: TSchema): Json => JSON.parse(JSON.stringify(schema)) as Json;
