import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { createEgressRules } from '#wall/rules.ts';
import { whyNotPublic } from '#wall/public-address.ts';
import { RenderFailure } from '#browser/browser.ts';
import { checkTarget } from '#renders/target-url.ts';
import { ServiceError } from '#core/errors.ts';
import {
  allowedUrls,
  deniedUrls,
  malformedUrls,
  otherNonPublicAddresses,
  publicAddresses,
  specialBlocks,
} from '#test/support/address-table.ts';

const isPublicAddress = (address: string): boolean => whyNotPublic(address) === undefined;

/** Every name resolves to a public address here, so that only the spelling can cause a refusal. */
const publicNames = async () => [{ address: '93.184.215.14' }];
const rules = createEgressRules({ allow: [], lookup: publicNames });

async function pass(url: string, under = rules): Promise<string> {
  const target = checkTarget(url, under);
  await target.resolve(new AbortController().signal);
  return target.href;
}

async function refusal(url: string, under = rules): Promise<string> {
  try {
    return `accepted as ${await pass(url, under)}`;
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.code, 'validation_error');
    return error.message;
  }
}

test('both ends of special-purpose blocks are not public, and their neighbours are', () => {
  for (const { block, first, last, publicNeighbours } of specialBlocks) {
    assert.equal(isPublicAddress(first), false, `${block}: ${first}`);
    assert.equal(isPublicAddress(last), false, `${block}: ${last}`);
    for (const neighbour of publicNeighbours) assert.ok(isPublicAddress(neighbour), `${block}: ${neighbour}`);
  }
});

test('addresses that embed another, have a zone or are invalid are not public', () => {
  for (const address of otherNonPublicAddresses) assert.equal(isPublicAddress(address), false, address);
  for (const address of publicAddresses) assert.ok(isPublicAddress(address), address);
});

test('the tables hold at least 150 spellings', () => {
  assert.ok(deniedUrls.length >= 150, `${deniedUrls.length}`);
  assert.equal(new Set(deniedUrls).size, deniedUrls.length);
});

test('4.3, 4.4 url: a non-public host is refused in every spelling, before any look-up', async () => {
  const noLookup = createEgressRules({ allow: [], lookup: () => assert.fail('looked up') });
  for (const url of deniedUrls) {
    assert.throws(() => checkTarget(url, noLookup), ServiceError, url);
    assert.match(await refusal(url, noLookup), /^url: must be a public address: .+; sent "/, url);
  }
});

test('4.3 url: anything but an absolute http(s) URL, or that a parser would silently correct, is refused', async () => {
  for (const url of malformedUrls)
    assert.match(await refusal(url), /^url: (must|is not) .+; sent "/, JSON.stringify(url));
});

test('4.3 url: public targets pass in their canonical form', async () => {
  for (const [url, href] of Object.entries(allowedUrls)) assert.equal(await pass(url, rules), href);
});

test('4.3 url: a name is refused if any record is not public, and fails the render if there is none', async () => {
  const records: Record<string, string[]> = {
    'private.test': ['10.0.0.1'],
    'mixed.test': ['93.184.215.14', '127.0.0.1'],
    'mixed6.test': ['2606:4700::1111', 'fd00::1'],
    'zone.test': ['fe80::1%eth0'],
    'public.test': ['93.184.215.14', '2606:4700::1111'],
  };
  const own = createEgressRules({
    allow: [],
    lookup: async (name) => {
      const found = records[name];
      if (found === undefined)
        throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
      return found.map((address) => ({ address }));
    },
  });
  for (const name of ['private.test', 'mixed.test', 'mixed6.test', 'zone.test', 'PRIVATE.test.']) {
    const message = await refusal(`http://${name}/`, own);
    assert.match(message, /^url: must be a public address: .*resolves to an address that is not public/);
    assert.doesNotMatch(message, /10\.0\.0\.1|fd00|fe80/, 'the private address is not revealed');
  }
  assert.equal(await pass('http://public.test/', own), 'http://public.test/');
  await assert.rejects(
    pass('http://nowhere.test/', own),
    (error) =>
      error instanceof RenderFailure &&
      error.reason === 'unresolved' &&
      error.message === 'nowhere.test could not be loaded: its name does not resolve',
  );
});

test('4.3 url: an exception allows its target and nothing else', async () => {
  const own = createEgressRules({
    allow: parseEgressAllow('127.0.0.1:8080,wiki.internal'),
    lookup: publicNames,
  });
  assert.equal(await pass('http://127.0.0.1:8080/', own), 'http://127.0.0.1:8080/');
  assert.equal(await pass('http://0x7f.1:8080/', own), 'http://127.0.0.1:8080/');
  assert.equal(await pass('https://wiki.internal/', own), 'https://wiki.internal/');
  for (const url of [
    'http://127.0.0.1/',
    'http://127.0.0.2:8080/',
    'http://localhost:8080/',
    'http://a.wiki.internal/',
  ])
    assert.match(await refusal(url, own), /public address/, url);
});

test('4.3 url: the message shows the URL on one short line with visible characters, never a password or a query', async () => {
  assert.equal(
    await refusal('http://10.0.0.1/'),
    'url: must be a public address: 10.0.0.1 is not a public address (private use); sent "http://10.0.0.1/"',
  );
  assert.equal(
    await refusal('http://a\n\u202e"\\'),
    'url: must not contain control characters, or spaces at either end; sent "http://a\\u{a}\\u{202e}\\u{22}\\u{5c}"',
  );
  assert.match(await refusal(`http://10.0.0.1/${'x'.repeat(500)}`), /sent "http:\/\/10\.0\.0\.1\/x{84}…"$/);
  const absolute = 'url: must be an absolute http:// or https:// address';
  assert.equal(
    await refusal('example.com:8443/a?b'),
    `${absolute}; sent "example.com:8443/a?…"; did you mean "https://example.com:8443/a?…"?`,
  );
  for (const url of ['/a.b/c', 'a', 'mailto:a@b.example', 'ftp://a.example', 'a..b'])
    assert.equal(await refusal(url), `${absolute}; sent "${url.replace(/.*@/, '…@')}"`);
  const secrets = [
    'http://bob:hunter2@example.com/',
    'http:hunter2@a',
    'x:hunter2@',
    'bob.example:hunter2@example.com',
    'http://a:hun#ter2?/hunter2@example.com/',
    'ftp://u:hunter2@\n',
    'http://10.0.0.1/?token=hunter2',
    'http://10.0.0.1/#hunter2',
    'http://10.0.0.1/?to=a@b.example&token=hunter2',
    '//example.com?hunter2',
  ];
  for (const url of secrets) assert.doesNotMatch(await refusal(url), /hunter2|bob/, url);
});
