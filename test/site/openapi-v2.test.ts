// The OpenAPI document of version 2: up to date, clean, complete, and its examples are what the service takes and says. Spec 10.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Compile } from 'typebox/schema';
import { errorCodesOf } from '#core/errors.ts';
import { devices } from '#api/v2/devices.ts';
import { RenderRequest } from '#api/v2/schemas.ts';
import {
  albumAnswers,
  albumChanges,
  albumRequests,
  errorExample,
  formRequests,
  linkAnswers,
  linkRequests,
  receipts,
  renderAnswers,
  renderRequests,
  uploadAnswers,
  uploadChanges,
  uploadForms,
  uploadLinkRequests,
  uploadsFromUrl,
} from '#site/openapi/examples-v2.ts';
import { callsOf } from '#test/support/calls-v2.ts';
import { jpeg, png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { openapiV2Path, openapiV2Text } from '#scripts/document.ts';

/** Rules of the strictest set that ask for another API than the contract's, or that examples of whole bodies make idle. */
const exceptions = {
  'scalar-property-missing-example': 'off',
  'required-string-property-missing-min-length': 'off',
  'request-mime-type': 'off',
  'response-mime-type': 'off',
  'operation-4xx-problem-details-rfc7807': 'off',
  'path-segment-plural': 'off',
  'paths-kebab-case': 'off',
} as const;

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<
    string,
    Record<string, { responses: Record<string, { $ref?: string; description: string }> }>
  >;
  components: { schemas: Record<string, { properties: Record<string, { enum?: string[] }> }> };
}

let service: TestService;
let site: PageServer;
let document: Document;
let key: string;
before(async () => {
  site = await startPageServer({
    '/': '<!doctype html><title>Example Domain</title><article><h1>Example Domain</h1>',
  });
  service = await startService({ EGRESS_ALLOW: site.host });
  document = (await (await fetch(`${service.origin}/openapi-v2.json`)).json()) as Document;
  ({ key } = await service.newKey());
});
after(async () => {
  await service.stop();
  await site.close();
});

/** Whether a value is what the document says of a schema. */
const fits = (name: string, value: unknown): boolean =>
  Compile({ components: document.components, $ref: `#/components/schemas/${name}` }).Check(value);

test('version 2.0.0 of the interface, in OpenAPI 3.1, with the names of devices', () => {
  assert.equal(document.info.version, '2.0.0');
  assert.match(document.openapi, /^3\.1\./);
  assert.deepEqual(
    document.components.schemas['RenderRequest']?.properties['device']?.enum,
    Object.keys(devices),
  );
});

test('docs/openapi-v2.json is up to date (npm run document)', () => {
  assert.equal(readFileSync(openapiV2Path, 'utf8'), openapiV2Text());
});

test('the document is clean under the linter', async () => {
  const config = await createConfig({ extends: ['all'], rules: exceptions });
  const problems = await lintFromString({ source: openapiV2Text(), config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`),
    [],
  );
});

test('every code of version 2 is in the document, and no other', () => {
  const said = new Set(JSON.stringify(document.paths).match(/components\/responses\/\w+/g));
  const named = errorCodesOf(2).filter((code) => [...said].some((name) => name.includes(code)));
  assert.deepEqual(named, errorCodesOf(2));
  for (const code of ['capture_failed', 'batch_too_large', 'too_many_files'])
    assert.ok(!JSON.stringify(document).includes(code), code);
  for (const code of named) assert.ok(fits('ErrorEnvelope', errorExample(code)), code);
});

/** Names and types, without values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

async function send(body: string | FormData) {
  const isForm = typeof body !== 'string';
  const response = await fetch(`${service.origin}/api/v2/renders`, {
    method: 'POST',
    headers: { ...bearer(key), ...(!isForm && { 'content-type': 'application/json' }) },
    body,
  });
  assert.ok(response.ok, await response.clone().text());
  return response;
}

for (const [name, example] of Object.entries(renderRequests)) {
  test(`createRender: ${name}`, async () => {
    const response = await send(JSON.stringify(example).replaceAll('https://example.com/', `${site.base}/`));
    const type = response.headers.get('content-type') ?? '';
    assert.equal(response.status, 'async' in example ? 202 : 200);
    if ('async' in example) {
      const queued: unknown = await response.json();
      assert.ok(fits('Render', queued));
      assert.deepEqual(shapeOf(queued), shapeOf(receipts.queued));
      return;
    }
    if (!('response' in example)) {
      const { format = 'png' } = example as { format?: string };
      assert.equal(type, format === 'pdf' ? 'application/pdf' : `image/${format}`);
      return;
    }
    const receipt = (await response.json()) as typeof renderAnswers.Render;
    assert.ok(fits('Render', receipt));
    const { warnings: _made, ...rest } = receipt;
    const { warnings: _shown, ...shown } = renderAnswers.Render;
    assert.deepEqual(shapeOf(rest), shapeOf(shown));
    const answer = await fetch(`${service.origin}/api/v2/renders?limit=1`, { headers: bearer(key) });
    const list = (await answer.json()) as typeof renderAnswers.RenderList;
    assert.equal(list.items[0]?.id, receipt.id);
    assert.ok(fits('RenderList', list));
  });
}

test('the examples of answers are what the schemas say', () => {
  for (const receipt of Object.values(receipts)) assert.ok(fits('Render', receipt), receipt.state);
  for (const [name, value] of [
    ...Object.entries(renderAnswers),
    ...Object.entries(uploadAnswers),
    ...Object.entries(linkAnswers),
    ...Object.entries(albumAnswers).filter(([name]) => name !== 'Sent'),
    ['Upload', albumAnswers.Sent],
  ] as const)
    assert.ok(fits(name, value), name);
});

test('createUpload, changeUpload and readUsage: the examples are taken, and the answers are as they say', async () => {
  const { file, tags, title, expires_in } = uploadForms['a photo with tags'];
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await jpeg())]), file.slice(1));
  form.append('title', title);
  for (const tag of tags) form.append('tags', tag);
  form.append('expires_in', String(expires_in));
  const call = async <T>(method: string, path: string, body?: string | FormData): Promise<T> => {
    const headers = {
      ...bearer(key),
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    };
    const response = await fetch(service.origin + path, { method, headers, ...(body && { body }) });
    assert.ok(response.ok, await response.clone().text());
    return (await response.json()) as T;
  };
  const { metadata_removed: _shown, ...shown } = uploadAnswers.Upload;
  const upload = await call<typeof uploadAnswers.Upload>('POST', '/api/v2/uploads', form);
  const { metadata_removed: _found, ...rest } = upload;
  assert.deepEqual(shapeOf(rest), shapeOf(shown));
  assert.ok(fits('Upload', upload));
  for (const changes of Object.values(uploadChanges)) {
    assert.ok(fits('UploadChanges', changes));
    assert.ok(fits('Upload', await call('PATCH', `/api/v2/uploads/${upload.id}`, JSON.stringify(changes))));
  }
  assert.ok(fits('UploadList', await call('GET', '/api/v2/uploads')));
  assert.deepEqual(shapeOf(await call('GET', '/api/v2/usage')), shapeOf(uploadAnswers.Usage));
});

for (const [name, example] of Object.entries(linkRequests)) {
  test(`createLink and openLink: ${name}`, async () => {
    assert.ok(fits('LinkRequest', example));
    const response = await fetch(`${service.origin}/api/v2/links`, {
      method: 'POST',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify(example).replaceAll('https://example.com/', `${site.base}/`),
    });
    const link = (await response.json()) as { url: string };
    assert.equal(response.status, 200);
    assert.ok(fits('Link', link));
    const opened = await fetch(service.origin + new URL(link.url).pathname);
    assert.deepEqual([opened.status, opened.headers.get('content-type')], [200, 'image/png']);
  });
}

test('albums and upload links: the examples are taken, and the answers are as they say', async () => {
  const call = callsOf(service.origin, key);
  for (const [path, given, schema, example] of [
    ['/albums', albumRequests, 'Album', albumAnswers.Album],
    ['/upload_links', uploadLinkRequests, 'UploadLink', albumAnswers.UploadLink],
  ] as const) {
    for (const body of Object.values(given)) {
      assert.ok(fits(`New${schema}`, body));
      const made = await call<{ id: string; token?: string }>('POST', path, { body });
      assert.equal(made.status, 201);
      assert.ok(fits(schema, made.body));
      assert.deepEqual(shapeOf(made.body), shapeOf(example));
      assert.ok(fits(schema, (await call('GET', `${path}/${made.body.id}`)).body));
      assert.ok(fits(`${schema}List`, (await call('GET', path)).body));
      if (schema === 'Album')
        for (const changes of Object.values(albumChanges)) {
          assert.ok(fits('AlbumChanges', changes));
          assert.ok(fits('Album', (await call('PATCH', `${path}/${made.body.id}`, { body: changes })).body));
        }
      else {
        const form = new FormData();
        form.append('file', new Blob([new Uint8Array(await png())]), 'photo.png');
        const sent = await fetch(`${service.origin}/u/${made.body.token}`, { method: 'POST', body: form });
        assert.ok(fits('Upload', await sent.json()));
      }
    }
  }
  for (const body of Object.values(uploadsFromUrl)) assert.ok(fits('UploadFromUrl', body));
});

test('createRender: a form', async () => {
  const { request, file } = formRequests['a document with a picture'];
  const form = new FormData();
  form.append('request', JSON.stringify(request));
  for (const name of file) form.append('file', new Blob([new Uint8Array(await png())]), name.slice(1));
  assert.equal((await send(form)).headers.get('content-type'), 'application/pdf');
});

test('/docs is a page that names every endpoint and every field', async () => {
  const page = await (await fetch(`${service.origin}/docs`)).text();
  for (const name of [
    ...Object.keys(document.paths),
    ...Object.keys(RenderRequest.properties),
    'viewport.pixel_ratio',
    'cookies[].same_site',
    'resize.fit',
    'x-service-page-status',
    'request_too_large',
    '/openapi-v2.json',
  ])
    assert.ok(page.includes(name), name);
});
