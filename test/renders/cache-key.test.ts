// What is the same request for the cache, and what is another one. V2 2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalText, createCacheKeys } from '#renders/cache-key.ts';
import { lowerRequest } from '#api/v2/lower-request.ts';
import type { RenderRequest } from '#api/v2/schemas.ts';
import { validateGiven } from '#http/body/validate.ts';
import { RenderRequest as Schema } from '#api/v2/schemas.ts';
import { databaseEngines } from '#test/storage/engines.ts';

const lowered = (given: object) =>
  lowerRequest(validateGiven(Schema, given), [], { blockedHostsFile: '/hosts' }).job;
const textOf = (given: object): string => canonicalText(lowered(given));
const url = 'https://example.com/';

/** Every pair is one request. */
const same: [name: string, one: RenderRequest, other: RenderRequest][] = [
  ['a default that is written out', { url }, { url, format: 'png', full_page: false, wait_until: 'settled' }],
  ['a default inside an object', { url }, { url, viewport: { width: 1440, pixel_ratio: 1 } }],
  [
    'the order of the names',
    { url, format: 'pdf', landscape: true },
    { landscape: true, format: 'pdf', url },
  ],
  ['one output, as fields or as a list', { url, format: 'jpeg' }, { url, outputs: [{ format: 'jpeg' }] }],
  ['spellings of an address', { url: 'HTTPS://Example.com:443' }, { url }],
  ['spellings of a language', { url, locale: 'de-ch' }, { url, locale: 'de-CH' }],
  ['a condition, alone or in a list', { url, wait_for: '#a' }, { url, wait_for: [{ selector: '#a' }] }],
  ['lengths', { url, format: 'pdf', margin: { top: 96 } }, { url, format: 'pdf', margin: { top: '1in' } }],
  [
    'what only delivers',
    { url, response: 'json', expires_in: 60, reference: 'a', max_age: 60 },
    { url, reference: 'b', max_age: 3600 },
  ],
];

/** Every one is another request than the plain one. */
const others: [name: string, given: object][] = [
  ['the address', { url: 'https://example.com/?a=1' }],
  ['the source', { html: url }],
  ['the document', { html: '<p>a' }],
  ['the other document', { html: '<p>b' }],
  ['its language', { markdown: '<p>a' }],
  ['its address', { html: '<p>a', base_url: url }],
  ['the format', { url, format: 'webp' }],
  ['an option of the format', { url, format: 'webp', quality: 50 }],
  ['the view', { url, viewport: { width: 800 } }],
  ['a secret header', { url, headers: { authorization: 'one' } }],
  ['another value of it', { url, headers: { authorization: 'two' } }],
  ['a cookie', { url, cookies: [{ name: 'a', value: 'b' }] }],
  ['a password', { url, basic_auth: { username: 'a', password: 'b' } }],
  ['another password', { url, basic_auth: { username: 'a', password: 'c' } }],
  ['style', { url, css: 'p{}' }],
  ['a script', { url, script: 'return 1' }],
  ['a condition', { url, wait_for: '#a' }],
  ['the state of it', { url, wait_for: { selector: '#a', state: 'gone' } }],
  ['what counts as a failure', { url, fail_on: ['http_error'] }],
  ['the time', { url, timeout_ms: 5_000 }],
];

for (const [name, one, other] of same)
  test(`the same request: ${name}`, () => assert.equal(textOf(one), textOf(other)));

test('another request: whatever changes the result', () => {
  const texts = new Map([[textOf({ url }), 'the plain one']]);
  for (const [name, given] of others) {
    const text = textOf(given);
    assert.equal(texts.get(text), undefined, name);
    texts.set(text, name);
  }
});

test('files count by name, type and content, in any order', () => {
  const job = lowered({ html: '<img src=a.png>' });
  const [a, b] = [
    ['a.png', 'image/png', 'digest of a'],
    ['b.css', 'text/css', 'digest of b'],
  ] as const;
  const both = canonicalText(job, [[...a], [...b]]);
  assert.equal(canonicalText(job, [[...b], [...a]]), both);
  assert.notEqual(canonicalText(job, [[...a]]), both);
  assert.notEqual(canonicalText(job, [[...a], ['b.css', 'text/css', 'other']]), both);
});

test('a key is of one account and of one installation, and says nothing of what is in it', async () => {
  const [first, second] = await Promise.all([databaseEngines[0]!.open(), databaseEngines[0]!.open()]);
  try {
    const keyOf = createCacheKeys(first);
    const job = lowered({ url, basic_auth: { username: 'a', password: 'b' } });
    const caller = { accountId: 'account', allowedHosts: '' };
    const key = await keyOf(caller, job);
    assert.match(key, /^[\w-]{43}$/);
    assert.equal(await createCacheKeys(first)(caller, job), key);
    assert.notEqual(await keyOf({ ...caller, accountId: 'other' }, job), key);
    assert.notEqual(await createCacheKeys(second)(caller, job), key);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});
