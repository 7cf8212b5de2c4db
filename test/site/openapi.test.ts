// The OpenAPI document: the committed one is up to date, clean and complete. The fuzz proof checks it against real responses.
// Spec 7, 9.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { errorCodesOf, errorTable } from '#core/errors.ts';
import { contractErrors, endpoints, resolveShared, type OpenapiDocument } from '#test/support/contract.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne } from '#test/support/uploading.ts';
import { openapiPath, openapiText } from '#scripts/document.ts';

/** Rules of the strictest set that ask for another API than the contract's, or that examples of whole bodies make idle. */
const exceptions = {
  'scalar-property-missing-example': 'off',
  'required-string-property-missing-min-length': 'off',
  'request-mime-type': 'off',
  'response-mime-type': 'off',
  'operation-4xx-problem-details-rfc7807': 'off',
  'path-segment-plural': 'off',
  'no-http-verbs-in-paths': 'off',
} as const;

let service: TestService;
let document: OpenapiDocument;
before(async () => {
  service = await startService({ PLANS_FILE: new URL('../fixtures/plans.json', import.meta.url).pathname });
  document = resolveShared((await (await fetch(`${service.origin}/openapi.json`)).json()) as OpenapiDocument);
});
after(() => service.stop());

test('9 version 1.2.0 of the interface, in OpenAPI 3.1', () => {
  assert.equal(document.info.version, '1.2.0');
  assert.match(document.openapi, /^3\.1\./);
  assert.deepEqual(
    Object.keys(document.paths).filter((path) => path.startsWith('/api/v1/')),
    endpoints.map((name) => `/api/v1/${name}`),
  );
});

test('docs/openapi.json is up to date (npm run document)', () => {
  assert.equal(readFileSync(openapiPath, 'utf8'), openapiText());
});

test('the document is clean under the linter', async () => {
  const config = await createConfig({ extends: ['all'], rules: exceptions });
  const problems = await lintFromString({ source: openapiText(), config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`),
    [],
  );
});

test('7 the error table and the OpenAPI document match the contract', () => {
  assert.deepEqual(
    errorCodesOf(1).map((code) => [code, errorTable[code].status, errorTable[code].retryable]),
    contractErrors.map(({ code, status, retryable }) => [code, status, retryable]),
  );

  const { code } = document.components.schemas.ErrorEnvelope.properties.error.properties;
  assert.deepEqual(
    code.enum,
    contractErrors.map((error) => error.code),
  );

  for (const { code: name, status, endpoints: own } of contractErrors) {
    for (const endpoint of endpoints) {
      const { responses } = document.paths[`/api/v1/${endpoint}`]!.post!;
      assert.equal(
        responses[status]?.description.includes(`\`${name}\``) ?? false,
        own.includes(endpoint),
        `${name} on ${endpoint}`,
      );
    }
  }
});

test('8 every header of the contract is in the document, on the responses that have it', () => {
  const responses = document.paths['/api/v1/upload']!.post!.responses;
  const budget = ['limit', 'remaining', 'reset'].map((name) => `x-service-ratelimit-${name}`);
  for (const [status, { headers }] of Object.entries(responses)) {
    for (const name of budget) assert.ok(headers[name], `${name} on ${status}`);
  }
  assert.deepEqual(
    Object.keys(responses['201']!.headers).filter((name) => !budget.includes(name)),
    [
      'x-request-id',
      'x-service-quota-limit',
      'x-service-quota-remaining',
      'x-service-quota-usage-percent',
      'x-service-quota-warning',
      'x-service-overage',
      'Idempotent-Replayed',
    ],
  );
  assert.ok(
    responses['402']!.headers['x-service-quota-limit'] &&
      responses['402']!.headers['x-service-quota-remaining'],
  );
  assert.ok(responses['429']!.headers['Retry-After']);
  const { headers } = document.paths['/api/v1/pdf']!.post!.responses['200']!;
  assert.ok(headers['x-service-id'] && headers['x-service-duration-ms']);
});

test('every status of a hosted file is in the document', async () => {
  const { key } = await service.newKey();
  const { fileAt, size_bytes } = await uploadOne(service.origin, key);
  const { responses } = document.paths['/f/{slug}']!.get!;
  const requests: [status: number, headers: Record<string, string>, address?: string][] = [
    [200, {}],
    [206, { range: 'bytes=0-1' }],
    [304, { 'if-none-match': '*' }],
    [404, {}, `${service.origin}/f/missing`],
    [412, { 'if-match': '"another"' }],
    [416, { range: `bytes=${size_bytes}-` }],
  ];
  for (const [status, headers, address = fileAt] of requests) {
    const answer = await fetch(address, { headers });
    await answer.arrayBuffer();
    assert.equal(answer.status, status);
    assert.ok(responses[status], `${status} is not in the document`);
  }
});

test('/docs is a page that names every endpoint and field', async () => {
  const response = await fetch(`${service.origin}/docs`);
  const page = await response.text();
  assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
  for (const name of [
    ...Object.keys(document.paths).filter((path) => path.startsWith('/api/v1/')),
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
