// Pages of other origins: only those in CORS_ORIGINS may call the API, and only the API.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launchTestChromium } from '#test/support/chromium.ts';
import * as images from '#test/support/images.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne } from '#test/support/uploading.ts';

const origin = 'https://app.example.com';
const endpoints = ['/api/v1/upload', '/api/v1/upload/batch', '/api/v1/screenshot', '/api/v1/pdf'];
const preflight = (from: string) => ({
  method: 'OPTIONS',
  headers: {
    origin: from,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,idempotency-key',
  },
});
const corsHeadersOf = ({ headers }: Response): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

describe('with CORS_ORIGINS', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ CORS_ORIGINS: `http://localhost:5173,${origin}` });
  });
  after(() => service.stop());

  test('version 2: PATCH and DELETE are allowed too, and its own headers can be read', async () => {
    const address = `${service.origin}/api/v2/renders/4kXqW0cJ8hTzR2mLpVaN`;
    const answer = await fetch(address, preflight(origin));
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('access-control-allow-methods'), 'GET, POST, PATCH, DELETE');
    const refused = await fetch(address, { headers: { origin } });
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('access-control-expose-headers') ?? '', /, x-service-page-status, /);
  });

  for (const path of endpoints) {
    test(`the preflight of ${path}`, async () => {
      const answer = await fetch(service.origin + path, preflight(origin));
      assert.equal(answer.status, 204);
      assert.equal(await answer.text(), '');
      assert.equal(answer.headers.get('access-control-allow-origin'), origin);
      assert.equal(answer.headers.get('access-control-allow-methods'), 'GET, POST');
      assert.equal(
        answer.headers.get('access-control-allow-headers'),
        'authorization, content-type, idempotency-key',
      );
      assert.equal(answer.headers.get('access-control-max-age'), '7200');
      assert.equal(answer.headers.get('vary'), 'origin');
      assert.equal(answer.headers.has('access-control-allow-credentials'), false);
    });

    test(`an origin that is not listed at ${path}`, async () => {
      for (const other of [
        'https://evil.example',
        'null',
        `${origin}.evil.example`,
        'http://app.example.com',
      ]) {
        const answer = await fetch(service.origin + path, preflight(other));
        assert.equal(answer.status, 405);
        assert.deepEqual(corsHeadersOf(answer), []);
        assert.equal(answer.headers.get('vary'), 'origin');
      }
    });
  }

  test('answers and errors can be read, without credentials', async () => {
    const { key } = await service.newKey();
    const [form, large] = [
      formOf([[await images.png(), 'a.png']]),
      formOf([[Buffer.alloc(11_000_000), 'a.png']]),
    ];
    const url = `${service.origin}/api/v1/upload`;
    const answers = [
      [201, await post(url, { body: form, headers: { ...bearer(key), origin } })],
      [401, await post(url, { body: formOf([[await images.png(), 'a.png']]), headers: { origin } })],
      [413, await post(url, { body: large, headers: { ...bearer(key), origin } })],
      [404, await post(`${service.origin}/api/v1/nothing`, { body: '', headers: { origin } })],
      [405, await fetch(url, { headers: { origin } })],
    ] as const;
    for (const [status, answer] of answers) {
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('access-control-allow-origin'), origin);
      const exposed = (answer.headers.get('access-control-expose-headers') ?? '').split(', ');
      const ours = [...answer.headers.keys()].filter((name) => /^x-|^retry-after$/.test(name));
      assert.deepEqual(
        ours.filter((name) => !exposed.includes(name)),
        [],
      );
      assert.ok(exposed.includes('retry-after') && exposed.includes('idempotent-replayed'));
      assert.equal(answer.headers.has('access-control-allow-credentials'), false);
    }
  });

  test('a deletion by its URL can be read', async () => {
    const { key } = await service.newKey();
    const { deleteAt } = await uploadOne(service.origin, key);
    const asked = await fetch(deleteAt, preflight(origin));
    assert.deepEqual(
      [asked.status, asked.headers.get('access-control-allow-methods')],
      [204, 'POST, DELETE'],
    );
    for (const status of [200, 404]) {
      const answer = await fetch(deleteAt, { method: 'POST', headers: { origin } });
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('access-control-allow-origin'), origin);
    }
  });

  test('a 429 can be read, and preflights do not count against the budget', async () => {
    const { key } = await service.newKey({ plan: 'free' });
    const headers = { ...bearer(key), origin };
    const url = `${service.origin}/api/v1/pdf`;
    service.clock.hold();
    for (let sent = 0; sent < 30; sent += 1) {
      assert.equal((await fetch(url, preflight(origin))).status, 204);
      assert.equal((await post(url, { body: '{}', headers })).status, 422);
    }
    const answer = await post(url, { body: '{}', headers });
    assert.equal(answer.status, 429);
    assert.ok(answer.headers.has('retry-after'));
    assert.equal(answer.headers.get('access-control-allow-origin'), origin);
  });

  test('the dashboard stays closed to other origins', async () => {
    for (const path of ['/api/dashboard/session', '/dashboard', '/']) {
      for (const request of [preflight(origin), { headers: { origin } }])
        assert.deepEqual(corsHeadersOf(await fetch(service.origin + path, request)), [], path);
    }
  });
});

test('without CORS_ORIGINS nothing is allowed, and OPTIONS is a 405', async () => {
  const service = await startService();
  try {
    for (const path of endpoints) {
      const answer = await fetch(service.origin + path, preflight(origin));
      assert.equal(answer.status, 405);
      assert.deepEqual([corsHeadersOf(answer), answer.headers.get('vary')], [[], null]);
    }
  } finally {
    await service.stop();
  }
});

test('a page of a listed origin uploads from a real browser and reads the headers; another origin is blocked', async () => {
  const [listed, other] = [await startPageServer({ '/': 'page' }), await startPageServer({ '/': 'page' })];
  const service = await startService({ CORS_ORIGINS: listed.base });
  const { browser, close } = await launchTestChromium();
  try {
    const { key } = await service.newKey();
    const bytes = (await images.png()).toString('base64');
    const page = await browser.newPage();
    const uploadFrom = async (base: string, apiKey: string) => {
      await page.goto(`${base}/`);
      return page.evaluate(
        async ({ url, apiKey, bytes }) => {
          const form = new FormData();
          form.append('file', await (await fetch(`data:image/png;base64,${bytes}`)).blob(), 'a.png');
          const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': 'once' };
          try {
            const answer = await fetch(url, { method: 'POST', body: form, headers });
            return {
              status: answer.status,
              shown: [...answer.headers.keys()].toSorted(),
            };
          } catch (error) {
            return { failure: (error as Error).name };
          }
        },
        { url: `${service.origin}/api/v1/upload`, apiKey, bytes },
      );
    };
    const shown = ['content-length', 'content-type', 'x-request-id'];
    const budget = ['limit', 'remaining', 'reset'].map((name) => `x-service-ratelimit-${name}`);
    const quota = ['limit', 'remaining', 'usage-percent'].map((name) => `x-service-quota-${name}`);
    assert.deepEqual(await uploadFrom(listed.base, key), {
      status: 201,
      shown: [...shown, ...quota, ...budget],
    });
    assert.deepEqual(await uploadFrom(listed.base, key), {
      status: 201,
      shown: ['content-length', 'content-type', 'idempotent-replayed', 'x-request-id', ...quota, ...budget],
    });
    assert.deepEqual(await uploadFrom(listed.base, 'wrong'), {
      status: 401,
      shown: ['cache-control', ...shown, ...budget],
    });
    assert.deepEqual(await uploadFrom(other.base, key), { failure: 'TypeError' });
  } finally {
    await close();
    await service.stop();
    await Promise.all([listed.close(), other.close()]);
  }
});
