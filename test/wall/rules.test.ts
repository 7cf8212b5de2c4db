import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import type { Lookup } from '#wall/name-lookup.ts';
import { createEgressRules, type Verdict } from '#wall/rules.ts';

/** List, then what it opens and what stays closed, as host and port. */
const lists: { allow: string; opens: [string, number][]; keepsShut: [string, number][] }[] = [
  {
    allow: '',
    opens: [],
    keepsShut: [
      ['127.0.0.1', 80],
      ['localhost', 80],
    ],
  },
  { allow: '  ', opens: [], keepsShut: [['127.0.0.1', 80]] },
  {
    allow: '127.0.0.1',
    opens: [
      ['127.0.0.1', 80],
      ['127.0.0.1', 65535],
      ['::ffff:127.0.0.1', 80],
      ['[::ffff:7f00:1]', 80],
    ],
    keepsShut: [
      ['127.0.0.2', 80],
      ['::1', 80],
      ['localhost', 80],
    ],
  },
  {
    allow: '127.0.0.1:8080',
    opens: [
      ['127.0.0.1', 8080],
      ['2130706433', 8080],
    ],
    keepsShut: [
      ['127.0.0.1', 80],
      ['127.0.0.1', 8081],
    ],
  },
  {
    allow: '10.0.0.0/8',
    opens: [
      ['10.0.0.0', 1],
      ['10.255.255.255', 80],
    ],
    keepsShut: [
      ['192.168.0.1', 80],
      ['127.0.0.1', 80],
    ],
  },
  { allow: '10.0.0.0/8:8080', opens: [['10.1.2.3', 8080]], keepsShut: [['10.1.2.3', 80]] },
  { allow: '127.0.0.1/8', opens: [['127.9.9.9', 80]], keepsShut: [['10.0.0.1', 80]] },
  {
    allow: '192.168.4.0/22',
    opens: [
      ['192.168.4.0', 80],
      ['192.168.7.255', 80],
    ],
    keepsShut: [
      ['192.168.3.255', 80],
      ['192.168.8.0', 80],
    ],
  },
  { allow: '10.0.0.1/32', opens: [['10.0.0.1', 80]], keepsShut: [['10.0.0.2', 80]] },
  {
    allow: '0.0.0.0/0',
    opens: [
      ['127.0.0.1', 80],
      ['0.0.0.0', 80],
    ],
    keepsShut: [
      ['::1', 80],
      ['localhost', 80],
    ],
  },
  {
    allow: '::1',
    opens: [
      ['::1', 80],
      ['[::1]', 80],
    ],
    keepsShut: [
      ['::2', 80],
      ['127.0.0.1', 80],
    ],
  },
  { allow: '[::1]', opens: [['::1', 80]], keepsShut: [['::', 80]] },
  { allow: '[::1]:8080', opens: [['::1', 8080]], keepsShut: [['::1', 80]] },
  { allow: 'fd00::1:80', opens: [['fd00::1:80', 443]], keepsShut: [['fd00::1', 80]] },
  { allow: 'fd00::/8', opens: [['fd12::1', 80]], keepsShut: [['fc00::1', 80]] },
  { allow: 'fd00::/8:80', opens: [['fd12::1', 80]], keepsShut: [['fd12::1', 81]] },
  { allow: '[fd00::]/8:80', opens: [['fd12::1', 80]], keepsShut: [['fd12::1', 81]] },
  { allow: '[fd00::/8]:80', opens: [['fd12::1', 80]], keepsShut: [['fd12::1', 81]] },
  { allow: '[fd00::/8]', opens: [['fd12::1', 81]], keepsShut: [['fe80::1', 81]] },
  { allow: '::ffff:10.0.0.1', opens: [['10.0.0.1', 80]], keepsShut: [['10.0.0.2', 80]] },
  {
    allow: 'localhost',
    opens: [
      ['localhost', 80],
      ['LOCALHOST.', 80],
    ],
    keepsShut: [
      ['127.0.0.1', 80],
      ['a.localhost', 80],
    ],
  },
  { allow: 'localhost:3000', opens: [['localhost', 3000]], keepsShut: [['localhost', 80]] },
  {
    allow: 'WIKI.Internal.',
    opens: [['wiki.internal', 80]],
    keepsShut: [
      ['internal', 80],
      ['x.wiki.internal', 80],
    ],
  },
  {
    allow: 'private.test',
    opens: [['private.test', 80]],
    keepsShut: [
      ['also-private.test', 80],
      ['10.0.0.1', 80],
    ],
  },
  {
    allow: '10.0.0.1',
    opens: [['private.test', 80]],
    keepsShut: [
      ['also-private.test', 80],
      ['mixed.test', 80],
    ],
  },
  { allow: '10.0.0.1:80', opens: [['private.test', 80]], keepsShut: [['private.test', 81]] },
  { allow: 'bücher.internal', opens: [['xn--bcher-kva.internal', 80]], keepsShut: [['bucher.internal', 80]] },
  { allow: 'db_1', opens: [['db_1', 5432]], keepsShut: [['db_2', 5432]] },
  {
    allow: ' 127.0.0.1:1 , [::1]:2,web:3 ',
    opens: [
      ['127.0.0.1', 1],
      ['::1', 2],
      ['web', 3],
    ],
    keepsShut: [
      ['127.0.0.1', 2],
      ['::1', 3],
      ['web', 2],
    ],
  },
  {
    allow: '10.0.0.0/8,127.0.0.0/8:80',
    opens: [
      ['wiki.internal', 443],
      ['wiki', 80],
    ],
    keepsShut: [
      ['wiki', 443],
      ['localhost', 80],
      ['a.localhost', 80],
      ['moved.internal', 443],
    ],
  },
];

const badEntries = [
  ',',
  'a,',
  ',a',
  'a,,b',
  ':80',
  'a:',
  'a:0',
  'a:65536',
  'a:-1',
  'a:x',
  'a:80:80',
  '*',
  '*.example.com',
  'http://a',
  'a/b',
  'a/8',
  'a b',
  'a@b',
  '127.1',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  '256.0.0.1',
  '1.2.3.4.5',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '10.0.0.0/8:',
  '10.0.0.0/8:0',
  '10.0.0.0/255.0.0.0',
  '/8',
  '[10.0.0.1]',
  '[::1',
  '::1]',
  '[]',
  '[::1]x',
  '[::1]:',
  '[::1]:0',
  'fd00::/129',
  'fd00::/8/8',
  '[fd00::/8]/8',
  '[fd00::/8]:x',
  'fe80::1%eth0',
  '[fe80::1%eth0]',
  'fd00::g',
  '::ffff:10.0.0.0/104',
  'a..b',
  '.a',
  '<a>',
  'a;b',
  'a?b',
];

const names: Record<string, string[]> = {
  'private.test': ['10.0.0.1'],
  'wiki.internal': ['10.0.0.1'],
  // A private name that resolves to a public address is refused, whatever the exceptions.
  'moved.internal': ['10.0.0.1', '93.184.216.34'],
  'also-private.test': ['10.0.0.2'],
  'mixed.test': ['10.0.0.1', '10.0.0.2'],
};
const lookup: Lookup = async (name) => (names[name] ?? ['127.0.0.1']).map((address) => ({ address }));

test('EGRESS_ALLOW opens what it lists, and nothing else', async () => {
  for (const { allow, opens, keepsShut } of lists) {
    const rules = createEgressRules({ allow: parseEgressAllow(allow), lookup });
    for (const [host, port] of opens)
      assert.equal((await rules.decide(host, port)).kind, 'allowed', `${allow} opens ${host} ${port}`);
    for (const [host, port] of keepsShut)
      assert.equal((await rules.decide(host, port)).kind, 'denied', `${allow} keeps ${host} ${port} shut`);
  }
});

test('a bad entry of EGRESS_ALLOW is named with the expected form', () => {
  for (const text of badEntries) {
    assert.throws(
      () => parseEgressAllow(text),
      (error: Error) =>
        error.message.endsWith(
          '(expected host[:port], IP[:port], [IPv6][:port] or a CIDR block with an optional port)',
        ),
      text,
    );
  }
  assert.throws(() => parseEgressAllow('127.0.0.1, 10.0.0.0/33'), /^Error: "10\.0\.0\.0\/33" \(expected /);
});

test('every record of a name counts, and the checked ones are returned', async () => {
  const answers: [string[], Verdict['kind']][] = [
    [['93.184.215.14'], 'allowed'],
    [['93.184.215.14', '2606:4700::1111', '64:ff9b::808:808'], 'allowed'],
    [['127.0.0.1'], 'denied'],
    [['93.184.215.14', '10.0.0.1'], 'denied'],
    [['10.0.0.1', '93.184.215.14'], 'denied'],
    [['93.184.215.14', '::1'], 'denied'],
    [['93.184.215.14', '::ffff:127.0.0.1'], 'denied'],
    [['93.184.215.14', '64:ff9b::7f00:1'], 'denied'],
    [['93.184.215.14', 'fe80::1%lo'], 'denied'],
    [['93.184.215.14', 'not-an-address'], 'denied'],
    [[], 'unresolved'],
  ];
  for (const [addresses, kind] of answers) {
    const rules = createEgressRules({
      allow: [],
      lookup: async () => addresses.map((address) => ({ address })),
    });
    const verdict = await rules.decide('site.test', 80);
    assert.equal(verdict.kind, kind, addresses.join(' '));
    if (verdict.kind === 'allowed') assert.deepEqual(verdict.addresses, addresses);
  }
});

test('invalid hosts and ports are denied, not looked up', async () => {
  const rules = createEgressRules({ allow: [], lookup: () => assert.fail('looked up') });
  for (const host of [
    '',
    '.',
    'a/b',
    'a@b',
    'a?b',
    'a#b',
    'a\\b',
    'a:80',
    'a b',
    '[::1',
    '[a]',
    'a..b',
    'localhost..',
    '1.2.3.4.5',
    'a%00b',
    '::1%lo',
  ])
    assert.equal((await rules.decide(host, 80)).kind, 'denied', host);
  for (const port of [0, -1, 65_536, 1.5, Number.NaN])
    assert.equal((await rules.decide('example.com', port)).kind, 'denied', String(port));
});

test('a failed look-up is unresolved, with the reason', async () => {
  const failing = createEgressRules({
    allow: [],
    lookup: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
  });
  assert.deepEqual(await failing.decide('nowhere.test', 80), {
    kind: 'unresolved',
    reason: 'nowhere.test does not resolve (ENOTFOUND)',
  });
});

test('a name with more than 100 addresses is unresolved: each would be checked for each port that a page asks for', async () => {
  const rulesWith = (count: number) =>
    createEgressRules({
      allow: [],
      lookup: async () => Array.from({ length: count }, (_, index) => ({ address: `192.1.2.${index}` })),
    });
  assert.equal((await rulesWith(100).decide('many.example', 80)).kind, 'allowed');
  assert.deepEqual(await rulesWith(101).decide('many.example', 80), {
    kind: 'unresolved',
    reason: 'many.example has more than 100 addresses',
  });
});

test('a look-up that never answers is unresolved after 5 seconds', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const silent = createEgressRules({ allow: [], lookup: () => new Promise(() => {}) });
  const verdict = silent.decide('silent.test', 80);
  context.mock.timers.tick(5_000);
  assert.deepEqual(await verdict, { kind: 'unresolved', reason: 'silent.test does not resolve (timed out)' });
});
