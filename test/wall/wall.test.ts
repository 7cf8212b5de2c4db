// Each way takes its rules from its row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { createWall } from '#wall/wall.ts';
import { waysOut, type JudgedWay } from '#wall/ways-out.ts';

const wall = createWall({
  allow: parseEgressAllow('10.0.0.1'),
  lookup: () => assert.fail('looked up'),
});
const judged = Object.keys(waysOut).filter((way) => way !== 'signIn') as JudgedWay[];

const refusalOf = (way: JudgedWay, url: string, grants?: string): string => {
  try {
    wall.check(way, url, 'field', grants);
    return 'passes';
  } catch (error) {
    return (error as Error).message;
  }
};

test('EGRESS_ALLOW opens every way, and a private host of the account only pages', () => {
  const opened = (grants: string, host: string) =>
    judged.filter((way) => wall.rulesFor(way, grants).decideByName(host, 443)?.kind === 'allowed');
  assert.deepEqual(opened('', '10.0.0.1'), judged);
  assert.deepEqual(opened('10.0.0.2:443', '10.0.0.2'), ['page', 'subresource']);
  assert.deepEqual(opened('', '10.0.0.2'), []);
  const allowed = (way: JudgedWay) => wall.settingsFor(way, '10.0.0.2:443').allow.length;
  assert.deepEqual([allowed('page'), allowed('put')], [2, 1]);
});

test('a way takes its own schemes, and an address that is secret is not quoted', () => {
  assert.deepEqual(
    judged.filter((way) =>
      refusalOf(way, 'http://10.0.0.1/').startsWith('field: must be an absolute https://'),
    ),
    ['webhook', 'webhookUrl', 'put'],
  );
  const quoting = judged.filter((way) =>
    refusalOf(way, 'https://10.0.0.2/upload-here').includes('upload-here'),
  );
  assert.deepEqual(
    quoting,
    judged.filter((way) => way !== 'put'),
  );
});

test('the page and what it loads have one door, and so the same rules', () => {
  const { page, subresource } = waysOut;
  assert.deepEqual(
    [page.openings, page.redirects, page.limits],
    [subresource.openings, subresource.redirects, subresource.limits],
  );
});
