// Which address a request comes from, behind proxies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawRequest } from '#test/support/raw-request.ts';
import { startService } from '#test/support/service.ts';

test('TRUST_PROXY decides which address is counted', async () => {
  const remainingOf = async (trust: string, forwarded: string[]): Promise<string[]> => {
    const service = await startService({ TRUST_PROXY: trust });
    try {
      const seen = [];
      for (const address of forwarded) {
        const { headers } = await rawRequest(service.origin, 'GET', '/api/nothing', {
          'x-forwarded-for': address,
        });
        seen.push(headers['x-service-ratelimit-remaining'] ?? '');
      }
      return seen;
    } finally {
      await service.stop();
    }
  };
  const [two, same] = [
    ['203.0.113.1', '203.0.113.2'],
    ['203.0.113.1, 10.0.0.1', '203.0.113.2, 10.0.0.1'],
  ];
  assert.deepEqual(await remainingOf('false', two), ['599', '598'], 'no proxy is trusted');
  assert.deepEqual(await remainingOf('true', two), ['599', '599'], 'every proxy is trusted');
  assert.deepEqual(await remainingOf('1', same), ['599', '598'], 'one hop: the last address');
  assert.deepEqual(await remainingOf('127.0.0.1', two), ['599', '599'], 'the proxy at this address');
  assert.deepEqual(await remainingOf('192.0.2.1', two), ['599', '598'], 'a proxy at another');
  assert.deepEqual(
    await remainingOf('true', ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:3::1']),
    ['599', '598', '599'],
    'a /64 counts as one',
  );
  const withPorts = [
    '203.0.113.1:4711',
    '203.0.113.1:4712',
    '[2001:db8:1:2::1]:4711',
    '[2001:db8:1:2::1]:4712',
  ];
  assert.deepEqual(
    await remainingOf('true', withPorts),
    ['599', '598', '599', '598'],
    'the port that some proxies add does not count',
  );
});
