// Keys, and the checks before every endpoint, clause by clause.
import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { newApiKey } from '#core/ids.ts';
import { refusalsPerMinute } from '#http/guards.ts';
import * as images from '#test/support/images.ts';
import { command } from '#test/support/commands.ts';
import { rawBytes, rawRequest } from '#test/support/raw-request.ts';
import { bearer, formOf, post, type ErrorBody } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

const plansFile = new URL('../fixtures/plans.json', import.meta.url).pathname;
const endpoints = ['/api/v1/upload', '/api/v1/upload/batch'];
const budgetHeaders = [
  'x-service-ratelimit-limit',
  'x-service-ratelimit-remaining',
  'x-service-ratelimit-reset',
];

let service: TestService;
before(async () => {
  service = await startService({ PLANS_FILE: plansFile });
});
after(() => service.stop());

const upload = async (headers: Record<string, string>, path = '/api/v1/upload') =>
  post(service.origin + path, { body: formOf([[await images.png(), 'a.png']]), headers });

describe('5.4 every 401 has the same body, whatever the reason', () => {
  /** The reason and the key's account, as logged. */
  const reasonOf = (requestId: string | null): string => {
    const line = service.logLines().find((candidate) => candidate['requestId'] === requestId);
    return [line?.['reason'], line?.['account'], line?.['key']].join(' ');
  };

  const malformed: [string, string][] = [
    ['an empty header', ''],
    ['a key without a scheme', newApiKey()],
    ['the scheme alone', 'Bearer'],
    ['another scheme', `Basic ${newApiKey()}`],
    ['two keys', `Bearer ${newApiKey()} ${newApiKey()}`],
    ['a key of another shape', 'Bearer sk_live_1234567890'],
    ['a key with a wrong checksum', `Bearer ${newApiKey().slice(0, -1)}!`],
    ['a key that is cut', `Bearer ${newApiKey().slice(0, -1)}`],
    ['a comma after the scheme', `Bearer, ${newApiKey()}`],
    ['a very long key', `Bearer tt_${'a'.repeat(6_000)}`],
  ];
  const unauthorized = async (headers: Record<string, string>, reason: RegExp) => {
    for (const path of endpoints) {
      const answer = await upload(headers, path);
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="Tintype"');
      assert.deepEqual(answer.body, {
        error: {
          code: 'unauthorized',
          message: 'Authorization: send a valid API key as "Bearer <API_KEY>".',
        },
      });
      assert.match(reasonOf(answer.headers.get('x-request-id')), reason);
    }
  };

  test('missing', () => unauthorized({}, /no Authorization header/));
  for (const [name, authorization] of malformed) {
    test(`malformed: ${name}`, () => unauthorized({ authorization }, /malformed key|not a Bearer token/));
  }
  test('unknown', () => unauthorized(bearer(newApiKey()), /unknown key/));
  test('revoked', async () => {
    const { key, keyId } = await service.newKey();
    await service.accounts.revokeKey(keyId);
    await unauthorized(bearer(key), new RegExp(`revoked key.*${keyId}`));
  });
  test('suspended', async () => {
    const { key, email, accountId } = await service.newKey();
    await service.accounts.update(email, { suspended: true });
    await unauthorized(bearer(key), new RegExp(`suspended account.*${accountId}`));
  });
  test('unverified', async () => {
    const { key, email } = await service.newKey();
    await service.accounts.update(email, { verified: false });
    await unauthorized(bearer(key), /unverified account/);
  });
  test('the key works again when its account does', async () => {
    const { key, email } = await service.newKey();
    await service.accounts.update(email, { suspended: true });
    await unauthorized(bearer(key), /suspended/);
    await service.accounts.update(email, { suspended: false });
    assert.equal((await upload(bearer(key))).status, 201);
  });
});

test('5.1 the scheme is case-insensitive, and more than one space may follow it', async () => {
  const { key } = await service.newKey();
  for (const authorization of [`bearer ${key}`, `BEARER ${key}`, `Bearer  ${key}`]) {
    assert.equal((await upload({ authorization })).status, 201, authorization.slice(0, 8));
  }
});

describe('5.4 a change by another process takes effect with the next request', () => {
  const run = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await command(args, service.environment);
    assert.equal(code, 0, stderr);
  };
  test('a revoked key', async () => {
    const { key, keyId } = await service.newKey();
    assert.equal((await upload(bearer(key))).status, 201);
    await run('key', 'revoke', keyId);
    assert.equal((await upload(bearer(key))).status, 401);
  });
  test('a suspension, and its end', async () => {
    const { key, email } = await service.newKey();
    assert.equal((await upload(bearer(key))).status, 201);
    await run('account', 'update', email, '--suspended', 'true');
    assert.equal((await upload(bearer(key))).status, 401);
    await run('account', 'update', email, '--suspended', 'false');
    assert.equal((await upload(bearer(key))).status, 201);
  });
  test('a changed plan', async () => {
    const { key, email } = await service.newKey({ plan: 'ten-uploads' });
    assert.equal((await upload(bearer(key))).headers.get('x-service-quota-limit'), '10');
    await run('account', 'update', email, '--plan', 'fifty-uploads');
    const { headers } = await upload(bearer(key));
    assert.equal(headers.get('x-service-quota-limit'), '50');
    assert.equal(headers.get('x-service-quota-remaining'), '48', 'what was used stays used');
  });
});

test('5.3 keys of one account share its budget and its quota', async () => {
  const { key, email } = await service.newKey({ plan: 'two-uploads' });
  const { key: second } = await service.accounts.createKey(email, 'second');
  const first = await upload(bearer(key));
  const next = await upload(bearer(second));
  assert.deepEqual(
    [first, next].map(({ headers }) => [
      headers.get('x-service-ratelimit-remaining'),
      headers.get('x-service-quota-remaining'),
    ]),
    [
      ['999', '1'],
      ['998', '0'],
    ],
  );
  assert.equal((await upload(bearer(key))).status, 402);
  assert.equal((await upload(bearer(second))).status, 402);
});

describe('5, 7 a request with several errors gets the first in the order of checks', () => {
  const notAForm = { 'content-type': 'text/plain' };
  const spentKey = async (plan: string, requests: number) => {
    const { key } = await service.newKey({ plan });
    for (let count = 0; count < requests; count += 1) await upload(bearer(key));
    return bearer(key);
  };
  const big = () => images.pngOfSize(10 * 1024 * 1024 + 1);
  const text = Buffer.from('no image');
  type Case = [string, number, string, () => Promise<{ status: number; body: ErrorBody }>];
  const send = async (path: string, init: RequestInit) => post(service.origin + path, init);
  const cases: Case[] = [
    ['path, method, key', 404, 'not_found', () => send('/api/v1/nothing', { method: 'PUT' })],
    ['method, key', 405, 'method_not_allowed', () => send('/api/v1/upload', { method: 'PUT' })],
    ['key, body', 401, 'unauthorized', () => send('/api/v1/upload', { body: 'x', headers: notAForm })],
    [
      'budget, body',
      429,
      'rate_limited',
      async () =>
        send('/api/v1/upload', {
          body: 'x',
          headers: { ...notAForm, ...(await spentKey('three-a-minute', 3)) },
        }),
    ],
    [
      'body, quota',
      422,
      'validation_error',
      async () =>
        send('/api/v1/upload', {
          body: 'x',
          headers: { ...notAForm, ...(await spentKey('two-uploads', 2)) },
        }),
    ],
    [
      'type, quota',
      415,
      'unsupported_type',
      async () =>
        send('/api/v1/upload', { body: formOf([[text, 'a']]), headers: await spentKey('two-uploads', 2) }),
    ],
    [
      'size, expires_in',
      413,
      'file_too_large',
      async () =>
        send('/api/v1/upload', {
          body: formOf([[await big(), 'a']], { expires_in: 'x' }),
          headers: bearer((await service.newKey()).key),
        }),
    ],
    [
      'expires_in, type, quota',
      422,
      'validation_error',
      async () =>
        send('/api/v1/upload', {
          body: formOf([[text, 'a']], { expires_in: 'x' }),
          headers: await spentKey('two-uploads', 2),
        }),
    ],
  ];
  for (const [name, status, code, request] of cases) {
    test(`${name}: ${status}`, async () => {
      const answer = await request();
      assert.deepEqual([answer.status, answer.body.error.code], [status, code]);
    });
  }
});

describe('4, 7 every method but POST is a 405 with Allow and the envelope', () => {
  // A CONNECT has no path: it requests a tunnel.
  for (const method of METHODS.filter((name) => !['POST', 'CONNECT'].includes(name))) {
    test(method, async () => {
      for (const path of endpoints) {
        const { status, headers, body } = await rawRequest(service.origin, method, path);
        assert.equal(status, 405);
        assert.equal(headers['allow'], 'POST');
        assert.ok(headers['x-request-id']);
        for (const name of budgetHeaders) assert.match(headers[name] ?? '', /^\d+$/, name);
        if (method !== 'HEAD') {
          assert.equal((JSON.parse(body) as ErrorBody).error.code, 'method_not_allowed');
        }
      }
    });
  }
  for (const method of ['FROBNICATE', 'post', 'Post', 'X-CUSTOM']) {
    test(`${method}, which is not a method`, async () => {
      const { status, headers, body } = await rawRequest(service.origin, method, '/api/v1/upload');
      assert.equal(status, 405);
      assert.equal(headers['allow'], 'POST');
      assert.ok(headers['x-request-id']);
      for (const name of budgetHeaders) assert.match(headers[name] ?? '', /^\d+$/, name);
      assert.equal((JSON.parse(body) as ErrorBody).error.code, 'method_not_allowed');
    });
  }
});

describe('4, 7 an unknown path under /api/ is a 404 with the envelope', () => {
  const paths = [
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/api/v2/upload',
    '/api/v1/upload/',
    '/api/v1/Upload',
    '/API/v1/upload/nothing',
    '/api/v1/upload/batch/more',
    '/api//v1/upload',
    '/api/v1//upload',
    '/api/v1/../v1/upload',
    '/api/v1/./upload',
    '/api/%zz',
    '/api/v1/upload%',
    '/api/v1/%E0%A4%A',
    '/api/v1/upload%2Fbatch',
    '/api/v1/upload%00',
    '/api/v1/upload;x=1',
    `/api/${'a'.repeat(4_000)}`,
    '/api/constructor',
    '/api/__proto__',
    '/%61pi/v1/nothing',
    'http://tintype.test/api/v1/nothing',
    '/api/uploads/x',
    `/api/uploads/${'x'.repeat(300)}/delete`,
  ];
  for (const path of paths) {
    test(path.slice(0, 40), async () => {
      const { key } = await service.newKey();
      for (const method of ['GET', 'POST', 'QUERY']) {
        const { status, headers, body } = await rawRequest(service.origin, method, path, bearer(key));
        assert.equal(status, 404, method);
        assert.match(headers['content-type'] ?? '', /^application\/json/);
        assert.equal((JSON.parse(body) as ErrorBody).error.code, 'not_found');
        assert.ok(headers['x-request-id']);
        if (path.startsWith('/API')) continue;
        for (const name of budgetHeaders) assert.match(headers[name] ?? '', /^\d+$/, name);
      }
    });
  }
});

test('8 rate-limit headers on every response under /api/, a request id on every response', async () => {
  const { key } = await service.newKey();
  const stored = await upload(bearer(key));
  const { slug, delete_url: deleteUrl } = stored.body as unknown as { slug: string; delete_url: string };
  const deletePath = new URL(deleteUrl).pathname + new URL(deleteUrl).search;
  const table: [string, string, number, Record<string, string>?][] = [
    ['GET', '/api/v1/upload', 405],
    ['POST', '/api/v1/upload', 401],
    ['POST', '/api/v1/upload', 422, bearer(key)],
    ['POST', '/api/nothing', 404],
    ['GET', `/f/${slug}`, 200],
    ['GET', `/f/${slug}`, 416, { range: 'bytes=99999-' }],
    ['GET', `/i/${slug}`, 200],
    ['GET', '/f/nothing', 404],
    ['GET', '/i/nothing', 404, { accept: 'text/html' }],
    ['GET', '/nothing', 404],
    ['GET', '/%zz', 404],
    ['PUT', '/healthz', 405],
    ['GET', '/healthz', 200],
    ['GET', '/metrics', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/docs', 200],
    ['HEAD', deletePath, 200],
    ['GET', deletePath, 200, { accept: 'text/html' }],
    ['GET', '/api/uploads/x/delete?token=y', 404],
    ['POST', deletePath, 200],
    ['PUT', '/api/uploads/x/delete', 405],
  ];
  const ids = new Set<string>();
  for (const [method, path, expected, headers] of table) {
    const answer = await rawRequest(service.origin, method, path, headers);
    assert.equal(answer.status, expected, `${method} ${path}`);
    assert.match(answer.headers['x-request-id'] ?? '', /^\w{20}$/, `${method} ${path}`);
    ids.add(answer.headers['x-request-id'] ?? '');
    for (const name of budgetHeaders) {
      assert.equal(
        /^\d+$/.test(answer.headers[name] ?? ''),
        path.startsWith('/api/'),
        `${method} ${path}: ${name}`,
      );
    }
  }
  assert.equal(ids.size, table.length, 'each id is its own');
});

describe('7 bytes that are not a request still get a response with the envelope', () => {
  const cases: [string, string | Buffer, number][] = [
    ['noise', 'hello\r\n\r\n', 400],
    ['a TLS greeting', Buffer.from('16030100510100004d0303', 'hex'), 400],
    ['a bad length', 'POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
    [
      'two framings',
      'POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a header of 100 KB',
      `GET /api/v1/upload HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
    ],
    ['no Host', 'POST /api/v1/upload HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', 'POST /api/v1/upload HTTP/1.1\r\nHost: a\r\nConnection: close\r\nhost: a\r\n\r\n', 400],
  ];
  for (const [name, bytes, expected] of cases) {
    test(name, async () => {
      const { status, headers, body } = await rawBytes(service.origin, bytes);
      assert.equal(status, expected);
      for (const header of budgetHeaders) assert.match(headers[header] ?? '', /^\d+$/, header);
      assert.ok(headers['x-request-id'], 'x-request-id');
      assert.equal((JSON.parse(body) as ErrorBody).error.code, 'validation_error');
      const logged = service.logLines().filter((line) => line['requestId'] === headers['x-request-id']);
      assert.equal(logged.length, 1);
    });
  }
});

describe('7 a body that does not match its headers gets a 422 from the endpoint, and the connection is closed after it', () => {
  const cases: [string, string, string][] = [
    [
      'ends too early',
      'Content-Length: 500',
      '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n',
    ],
    ['ends before it begins', 'Content-Length: 500', ''],
    ['a chunk without a size', 'Transfer-Encoding: chunked', 'zz\r\n'],
  ];
  for (const endpoint of ['upload', 'upload/batch', 'screenshot']) {
    for (const [name, framing, content] of cases) {
      test(`${endpoint}: ${name}`, async () => {
        const type = endpoint === 'screenshot' ? 'application/json' : 'multipart/form-data; boundary=XX';
        const head = (key: string) =>
          `POST /api/v1/${endpoint} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
          `Content-Type: ${type}\r\n${framing}\r\n\r\n${content}`;
        const { key } = await service.newKey();
        const { status, headers, body } = await rawBytes(service.origin, head(key), { isCut: true });
        assert.equal(status, 422);
        assert.match((JSON.parse(body) as ErrorBody).error.message, /^body: /);
        assert.equal(headers['connection'], 'close');
        assert.equal(headers['x-service-ratelimit-limit'], '3000', "the account's budget");
        assert.equal((await rawBytes(service.origin, head(newApiKey()), { isCut: true })).status, 401);
      });
    }
  }
});

test('7 garbage after a request neither replaces nor splits its response, and is at most answered by itself', async () => {
  const bytes = 'GET /docs HTTP/1.1\r\nHost: x\r\n\r\nnoise\r\n\r\n';
  const { status, headers, body } = await rawBytes(service.origin, bytes);
  assert.equal(status, 200);
  const length = Number(headers['content-length']);
  assert.match(body.slice(0, length), /<\/html>\s*$/);
  // It is read in a later turn, when the response may be complete.
  assert.match(body.slice(length), /^(HTTP\/1\.1 400 [^]*\r\nconnection: close\r\n[^]*)?$/i);
});

test('7 an unknown expectation is ignored', async () => {
  const { status } = await rawRequest(service.origin, 'GET', '/api/v1/upload', { expect: 'the-unexpected' });
  assert.equal(status, 405);
});

test('7 guessing gets a 429 once the address has spent its budget; a valid key still works', async () => {
  const guessed = await startService();
  // All of it in one minute, however long a busy machine takes.
  guessed.clock.hold();
  try {
    const { key } = await guessed.newKey();
    const guess = () => rawRequest(guessed.origin, 'POST', '/api/v1/upload', bearer(newApiKey()));
    for (let done = 0; done < refusalsPerMinute; done += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, guess));
      assert.ok(answers.every(({ status }) => status === 401));
    }
    const { status, headers, body } = await guess();
    assert.equal(status, 429);
    assert.equal((JSON.parse(body) as ErrorBody).error.code, 'rate_limited');
    assert.equal(headers['x-service-ratelimit-limit'], String(refusalsPerMinute));
    assert.equal(headers['x-service-ratelimit-remaining'], '0');
    assert.equal(headers['retry-after'], headers['x-service-ratelimit-reset']);

    const token = await rawRequest(guessed.origin, 'GET', '/api/uploads/x/delete?token=y');
    assert.equal(token.status, 429, 'guessing delete tokens is slowed too');
    const mine = await rawRequest(guessed.origin, 'POST', '/api/v1/upload', bearer(key));
    assert.equal(mine.status, 422, 'past the key and the budget');

    await guessed.clock.advance(60_000);
    assert.equal((await guess()).status, 401);
  } finally {
    await guessed.stop();
  }
});
