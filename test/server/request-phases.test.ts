// The request log keeps how long each step took, also for a request that fails.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { png } from '#test/support/images.ts';
import { freePort } from '#test/support/processes.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';

let service: TestService;
before(async () => {
  service = await startService({ EGRESS_ALLOW: '127.0.0.1' });
});
after(() => service.stop());

async function phasesOf(send: (key: string) => Promise<{ status: number }>): Promise<[number, ...string[]]> {
  const visitor = await signedInVisitor(service);
  const { secret } = (await visitor.call('POST /keys', { body: { name: 'timed' } })).body;
  const { status } = await send(secret);
  const { items } = (await visitor.call('GET /requests')).body;
  const known = items[0]!.phases.reduce((sum, { ms }) => sum + ms, 0);
  assert.ok(known <= items[0]!.duration_ms + items[0]!.phases.length, 'longer than the request');
  return [status, ...items[0]!.phases.map(({ name }) => name)];
}

const upload = (bytes: Buffer) => (key: string) =>
  post(`${service.origin}/api/v1/upload`, { headers: bearer(key), body: formOf([[bytes, 'a.png']]) });
const render = (kind: string, fields: object) => (key: string) =>
  post(`${service.origin}/api/v1/${kind}`, {
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });

test('an upload: receiving and storing, also if the file is refused', async () => {
  assert.deepEqual(await phasesOf(upload(await png())), [201, 'receive', 'store']);
  assert.deepEqual(await phasesOf(upload(Buffer.from('no picture'))), [415, 'receive', 'store']);
});

test('a form that is refused while it is read: the time until then', async () => {
  assert.deepEqual(await phasesOf(upload(Buffer.alloc(11 * 1024 * 1024))), [413, 'receive']);
});

test('a page that cannot be loaded: every step up to the one that failed', async () => {
  const url = `http://127.0.0.1:${await freePort()}/`;
  const steps = ['resolve', 'queue', 'navigate'];
  assert.deepEqual(await phasesOf(render('screenshot', { url })), [502, ...steps]);
  assert.deepEqual(await phasesOf(render('pdf', { url })), [502, ...steps]);
});

test('a request that is refused before any work has no steps', async () => {
  assert.deepEqual(await phasesOf(render('screenshot', { url: 'ftp://example.com/' })), [422]);
});
