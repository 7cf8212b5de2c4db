// GET /readyz: a part that does not answer makes the service not ready, and does not hold up the answer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';

let service: TestService;
let ping = async () => {};
before(async () => {
  service = await startService({}, 0, undefined, {
    wrapBlobs: (blobs) => ({ ...blobs, ping: () => ping() }),
    openBrowser: async () => ({
      render: () => Promise.reject(new Error('this browser renders nothing')),
      ...idleBrowser,
    }),
  });
});
after(() => service.stop());

const readiness = async () => {
  const answer = await fetch(`${service.origin}/readyz`);
  return { status: answer.status, body: await answer.json() };
};

test('a part that answers within two seconds is fine, one that does not is failing', async () => {
  const parts = { database: 'ok', storage: 'ok', browser: 'ok' };
  assert.deepEqual(await readiness(), { status: 200, body: { status: 'ready', ...parts } });
  const { promise, resolve } = Promise.withResolvers<void>();
  ping = () => promise;
  const answer = readiness();
  const waited = () => service.clock.waits().filter((ms) => ms === 2_000).length;
  await waitFor('the other parts to answer', () => waited() === 1);
  await service.clock.advance(2_000);
  assert.deepEqual(await answer, {
    status: 503,
    body: { status: 'not ready', ...parts, storage: 'failing' },
  });
  resolve();
  assert.equal((await readiness()).status, 200);
});
