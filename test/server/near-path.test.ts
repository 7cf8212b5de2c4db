// A path or method of the API that does not exist: the answer names what was meant, and with a valid key it shows the budget of the
// account.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { refusalsPerMinute } from '#http/guards.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const messageOf = async (path: string): Promise<string> => {
  const answer = await fetch(service.origin + path, { method: 'POST', headers: { accept: '*/*' } });
  assert.equal(answer.status, 404, path);
  return ((await answer.json()) as { error: { message: string } }).error.message;
};

test('the path that was meant is named', async () => {
  for (const [path, meant] of [
    ['/api/v1/upload/', '/api/v1/upload'],
    ['/api/v1/Upload', '/api/v1/upload'],
    ['/api/v1/screenshots', '/api/v1/screenshot'],
    ['/v1/upload', '/api/v1/upload'],
    ['/api/v2/render', '/api/v2/renders'],
    ['/api/v2/renders/', '/api/v2/renders'],
    ['/api/v2/albums//', '/api/v2/albums'],
    ['/api/v2/uploads/4kXqW0cJ8hTzR2mLpVaN/', '/api/v2/uploads/4kXqW0cJ8hTzR2mLpVaN'],
  ] as const)
    assert.equal(await messageOf(path), `There is nothing at this address. Did you mean ${meant}?`);
  for (const path of [
    '/api/v1/nothing-like-it',
    `/api/v1/${'u'.repeat(5_000)}`,
    '/api/dashboards',
    '/upload',
  ])
    assert.equal(await messageOf(path), 'There is nothing at this address.');
});

test('with a valid key 404 and 405 show the budget of its account, without spending it; with none, that of the address', async () => {
  const { key } = await service.newKey({ plan: 'free' });
  const limitOf = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(service.origin + path, { headers });
    const shown = (name: string) => Number(answer.headers.get(`x-service-ratelimit-${name}`));
    return [answer.status, shown('limit'), shown('remaining')];
  };
  for (const [path, status] of [
    ['/api/v1/nothing', 404],
    ['/api/v1/upload', 405],
  ] as const) {
    assert.deepEqual(await limitOf(path, bearer(key)), [status, 30, 30]);
    for (const headers of [{}, bearer(`${key.slice(0, -1)}!`)])
      assert.deepEqual((await limitOf(path, headers)).slice(0, 2), [status, refusalsPerMinute]);
  }
});
