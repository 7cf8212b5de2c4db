// The OpenAPI document: the committed one is the built one, clean, complete, and true about real answers. Spec 7, 9.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { errorTable } from '#core/errors.ts';
import { BatchResult, ErrorEnvelope, UploadResult } from '#http/api/schemas.ts';
import * as images from '#test/support/images.ts';
import { root } from '#test/support/processes.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { openapiPath, openapiText } from '#scripts/document.ts';

/** Spec section 7, by hand. */
const contract: [code: string, status: number, retryable: boolean, endpoints: string][] = [
  ['unauthorized', 401, false, 'all'],
  ['quota_exceeded', 402, false, 'all'],
  ['method_not_allowed', 405, false, 'all'],
  ['not_found', 404, false, 'none'],
  ['file_too_large', 413, false, 'upload'],
  ['batch_too_large', 413, false, 'batch'],
  ['unsupported_type', 415, false, 'upload'],
  ['validation_error', 422, false, 'all'],
  ['too_many_files', 422, false, 'batch'],
  ['rate_limited', 429, true, 'all'],
  ['concurrency_limited', 429, true, 'render'],
  ['internal', 500, true, 'all'],
  ['capture_failed', 502, true, 'screenshot'],
  ['render_failed', 502, true, 'pdf'],
];
const endpointsOf: Record<string, string[]> = {
  all: ['upload', 'upload/batch', 'screenshot', 'pdf'],
  upload: ['upload', 'upload/batch'],
  batch: ['upload/batch'],
  render: ['screenshot', 'pdf'],
  screenshot: ['screenshot'],
  pdf: ['pdf'],
  none: [],
};

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<
    string,
    { post: { responses: Record<string, { description: string; headers: Record<string, unknown> }> } }
  >;
  components: {
    schemas: { ErrorEnvelope: { properties: { error: { properties: { code: { enum: string[] } } } } } };
  };
}

let service: TestService;
let document: Document;
before(async () => {
  service = await startService({ PLANS_FILE: new URL('fixtures/plans.json', import.meta.url).pathname });
  document = (await (await fetch(`${service.origin}/openapi.json`)).json()) as Document;
});
after(() => service.stop());

test('9 version 1.2.0 of the interface, in OpenAPI 3.1', () => {
  assert.equal(document.info.version, '1.2.0');
  assert.match(document.openapi, /^3\.1\./);
  assert.deepEqual(
    Object.keys(document.paths),
    endpointsOf['all']!.map((name) => `/api/v1/${name}`),
  );
});

test('docs/openapi.json is the one that is built (npm run document)', () => {
  assert.equal(readFileSync(openapiPath, 'utf8'), openapiText());
});

test('the document is clean under the linter', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: openapiText(), config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`),
    [],
  );
});

test("7 the error table is the contract's, and so are the document and docs/errors.md", () => {
  const expected = contract.map(([code, status, retryable]) => [code, { status, retryable }]);
  assert.deepEqual(errorTable, Object.fromEntries(expected));

  const codes = contract.map(([code]) => code).toSorted();
  const { code } = document.components.schemas.ErrorEnvelope.properties.error.properties;
  assert.deepEqual(code.enum.toSorted(), codes);

  for (const [name, status, , endpoints] of contract) {
    for (const endpoint of endpointsOf['all']!) {
      const { responses } = document.paths[`/api/v1/${endpoint}`]!.post;
      assert.equal(
        responses[status]?.description.includes(`\`${name}\``) ?? false,
        endpointsOf[endpoints]!.includes(endpoint),
        `${name} on ${endpoint}`,
      );
    }
  }

  const page = readFileSync(`${root}/docs/errors.md`, 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (yes|no) \|/gm)];
  assert.deepEqual(
    Object.fromEntries(rows.map(([, name, status, retry]) => [name, [Number(status), retry === 'yes']])),
    Object.fromEntries(contract.map(([name, status, retryable]) => [name, [status, retryable]])),
  );
});

test('8 every header of the contract is in the document, on the answers that have it', () => {
  const responses = document.paths['/api/v1/upload']!.post.responses;
  const budget = ['limit', 'remaining', 'reset'].map((name) => `x-service-ratelimit-${name}`);
  for (const [status, { headers }] of Object.entries(responses)) {
    for (const name of budget) assert.ok(headers[name], `${name} on ${status}`);
  }
  assert.deepEqual(
    Object.keys(responses['201']!.headers).filter((name) => !budget.includes(name)),
    [
      'x-service-quota-limit',
      'x-service-quota-remaining',
      'x-service-quota-usage-percent',
      'x-service-quota-warning',
      'x-service-overage',
    ],
  );
  assert.ok(
    responses['402']!.headers['x-service-quota-limit'] &&
      responses['402']!.headers['x-service-quota-remaining'],
  );
  assert.ok(responses['429']!.headers['Retry-After']);
  const { headers } = document.paths['/api/v1/pdf']!.post.responses['200']!;
  assert.ok(headers['x-service-id'] && headers['x-service-duration-ms']);
});

test('real answers have the shapes and the headers that the document promises', async () => {
  const { key } = await service.newKey({ plan: 'ten-uploads' });
  const picture = await images.png();
  const text = Buffer.from('text');
  const send = (path: string, files: [Buffer, string][], headers = bearer(key)) =>
    post<unknown>(`${service.origin}/api/v1/${path}`, { body: formOf(files), headers });
  const answers: [string, Awaited<ReturnType<typeof send>>, TSchema][] = [
    ['upload', await send('upload', [[picture, 'a.png']]), UploadResult],
    ['upload', await send('upload', [[text, 'a.png']]), ErrorEnvelope],
    ['upload', await send('upload', []), ErrorEnvelope],
    ['upload', await send('upload', [[picture, 'a.png']], {}), ErrorEnvelope],
    ['upload/batch', await send('upload/batch', [[picture, 'a.png']]), BatchResult],
    [
      'upload/batch',
      await send('upload/batch', [
        [picture, 'a.png'],
        [text, 'b'],
      ]),
      BatchResult,
    ],
    ['upload/batch', await send('upload/batch', [[text, 'b']]), BatchResult],
    [
      'upload/batch',
      await send(
        'upload/batch',
        Array.from({ length: 11 }, () => [picture, 'a']),
      ),
      ErrorEnvelope,
    ],
  ];
  for (const [path, { status, headers, body }, schema] of answers) {
    const problems = [...Value.Errors(schema, body)].map(
      (error) => `${error.instancePath}: ${error.message}`,
    );
    assert.deepEqual(problems, [], `${path} ${status}`);
    const promised = document.paths[`/api/v1/${path}`]!.post.responses[status];
    assert.ok(promised, `${path} does not document ${status}`);
    for (const name of headers.keys()) {
      if (name.startsWith('x-service-')) assert.ok(promised.headers[name], `${path} ${status}: ${name}`);
    }
  }
});

test('/docs is a page that names every endpoint and field', async () => {
  const response = await fetch(`${service.origin}/docs`);
  const page = await response.text();
  assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
  for (const name of [
    ...Object.keys(document.paths),
    'expires_in',
    'full_page',
    'paper_format',
    'margin.top',
    'viewport.width',
    'delay_ms',
  ]) {
    assert.ok(page.includes(name), name);
  }
});
