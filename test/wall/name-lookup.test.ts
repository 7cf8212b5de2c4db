// How names are looked up, tested with a DNS server of the test.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { createNames } from '#wall/name-lookup.ts';
import { createEgressRules } from '#wall/rules.ts';
import { type DnsAnswer, startDnsServer } from '#test/support/dns-server.ts';

const never = new AbortController().signal;

async function setUp(
  context: TestContext,
  {
    records = {},
    hosts = '',
    resolver = '',
  }: { records?: Record<string, DnsAnswer>; hosts?: string; resolver?: string },
) {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-test-'));
  const [hostsFile, resolverFile] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
  await Promise.all([writeFile(hostsFile, hosts), writeFile(resolverFile, resolver)]);
  const dns = await startDnsServer((name) => records[name]);
  context.after(async () => {
    dns.close();
    await rm(folder, { recursive: true });
  });
  const lookup = createNames({ hostsFile, resolverFile, servers: [dns.address] });
  const addressesOf = async (name: string, isInner = false) =>
    (await lookup(name, { isInner, signal: never })).map(({ address }) => address);
  return { dns, lookup, addressesOf, hostsFile };
}

test('both families are asked for, and come in turns', async (context) => {
  const { addressesOf } = await setUp(context, {
    records: {
      'both.test': ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
      'four.test': ['192.0.2.1'],
      'six.test': ['2001:db8::1'],
    },
  });
  assert.deepEqual(await addressesOf('both.test'), ['192.0.2.1', '2001:db8::1', '192.0.2.2']);
  assert.deepEqual(await addressesOf('four.test'), ['192.0.2.1']);
  assert.deepEqual(await addressesOf('six.test'), ['2001:db8::1']);
  await assert.rejects(addressesOf('nowhere.test'), { code: 'ENOTFOUND' });
  await assert.rejects(addressesOf(`${'a'.repeat(64)}.test`), { code: 'EBADNAME' });
});

test('a server that is silent for one family does not delay the other', async (context) => {
  const dns = await startDnsServer((name, _before, family) =>
    family === (name === 'four.test' ? 4 : 6) ? ['192.0.2.1', '2001:db8::1'] : 'silent',
  );
  context.after(() => dns.close());
  const found = await Promise.all(
    ['four.test', 'six.test'].map((name) => dns.lookup(name, { isInner: false, signal: never })),
  );
  assert.deepEqual(found, [[{ address: '192.0.2.1' }], [{ address: '2001:db8::1' }]]);
});

test('a cancelled look-up ends at once, and no other with it', async (context) => {
  const { lookup, addressesOf } = await setUp(context, {
    records: { 'silent.test': 'silent', 'good.test': ['192.0.2.1'] },
  });
  const stop = new AbortController();
  const silent = lookup('silent.test', { isInner: false, signal: stop.signal });
  assert.deepEqual(await addressesOf('good.test'), ['192.0.2.1']);
  stop.abort();
  await assert.rejects(silent, { code: 'ECANCELLED' });
  await assert.rejects(lookup('good.test', { isInner: false, signal: stop.signal }), { name: 'AbortError' });
});

test('the current hosts file takes precedence over DNS', async (context) => {
  const { addressesOf, hostsFile, dns } = await setUp(context, {
    records: { 'dev.test': ['192.0.2.9'] },
    hosts:
      '# a comment\n10.0.0.1\tdev.test DEV2.test. # and more.test\nnonsense dev.test\n\n::1 dev.test\n10.0.0.3',
  });
  assert.deepEqual(await addressesOf('dev.test'), ['10.0.0.1', '::1']);
  assert.deepEqual(await addressesOf('dev2.test'), ['10.0.0.1']);
  await assert.rejects(addressesOf('more.test'));
  assert.ok(!dns.asked.includes('dev.test'));
  await writeFile(hostsFile, '10.0.0.22 other.test\n');
  assert.deepEqual(await addressesOf('dev.test'), ['192.0.2.9']);
  assert.deepEqual(await addressesOf('other.test'), ['10.0.0.22']);
  await rm(hostsFile);
  assert.deepEqual(await addressesOf('dev.test'), ['192.0.2.9']);
});

test('localhost is loopback even if the hosts file lacks it, and is not looked up', async (context) => {
  const { addressesOf, dns } = await setUp(context, {});
  assert.deepEqual(await addressesOf('localhost', true), ['127.0.0.1', '::1']);
  assert.deepEqual(await addressesOf('app.localhost', true), ['127.0.0.1', '::1']);
  assert.deepEqual(dns.asked, []);
});

test('a name of the operator is looked for in the search domains, a stranger’s is not', async (context) => {
  const { addressesOf, dns } = await setUp(context, {
    records: {
      'wiki.corp.test': ['10.0.0.1'],
      'a.b.corp.test': ['10.0.0.2'],
      'web.x.two.test': ['10.0.0.3'],
    },
    resolver: '# made by hand\nnameserver 192.0.2.53\nsearch corp.test. two.test\noptions edns0 ndots:2\n',
  });
  assert.deepEqual(await addressesOf('wiki', true), ['10.0.0.1']);
  assert.deepEqual(await addressesOf('a.b', true), ['10.0.0.2']);
  assert.deepEqual(await addressesOf('web.x', true), ['10.0.0.3']);
  await assert.rejects(addressesOf('nowhere', true), { code: 'ENOTFOUND' });
  dns.asked.length = 0;
  await assert.rejects(addressesOf('a.b'), { code: 'ENOTFOUND' });
  assert.deepEqual([...new Set(dns.asked)], ['a.b']);
});

test('EGRESS_ALLOW opens names of the hosts file and of the search domains', async (context) => {
  const { lookup } = await setUp(context, {
    records: { 'wiki.corp.test': ['10.0.0.1'] },
    hosts: '10.0.0.7 nas.home.arpa dev.example.com',
    resolver: 'search corp.test',
  });
  const decide = async (allow: string, host: string) =>
    createEgressRules({ allow: parseEgressAllow(allow), lookup }).decide(host, 80);
  assert.deepEqual(await decide('wiki', 'wiki'), { kind: 'allowed', addresses: ['10.0.0.1'] });
  assert.deepEqual(await decide('10.0.0.0/8', 'wiki'), { kind: 'allowed', addresses: ['10.0.0.1'] });
  assert.deepEqual(await decide('10.0.0.0/8', 'nas.home.arpa'), { kind: 'allowed', addresses: ['10.0.0.7'] });
  assert.deepEqual(await decide('dev.example.com', 'dev.example.com'), {
    kind: 'allowed',
    addresses: ['10.0.0.7'],
  });
  assert.deepEqual(await decide('', 'dev.example.com'), {
    kind: 'denied',
    reason: 'dev.example.com resolves to an address that is not public',
  });
});

test('the silent names of two renders delay no other look-up, and no work of the thread pool', async (context) => {
  const dns = await startDnsServer((name) => (name.startsWith('silent') ? 'silent' : ['192.0.2.1']));
  context.after(() => dns.close());
  const stop = new AbortController();
  const silent = Array.from({ length: 64 }, (_, index) =>
    dns.lookup(`silent${index}.test`, { isInner: false, signal: stop.signal }).catch(({ code }) => code),
  );
  const good = dns.lookup('good.test', { isInner: false, signal: never });
  assert.equal(await Promise.race([good.then(() => 'good'), ...silent]), 'good');
  const file = rm(join(tmpdir(), 'tintype-test-none'), { force: true }).then(() => 'file');
  assert.equal(await Promise.race([file, ...silent]), 'file');
  stop.abort();
  assert.deepEqual(new Set(await Promise.all(silent)), new Set(['ECANCELLED']));
});
