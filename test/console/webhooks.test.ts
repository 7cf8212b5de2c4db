// Webhooks of an account, from the page to the receiver: endpoints, the secret, what is reported, the log.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { UploadResult } from '#api/v1/schemas.ts';
import { command } from '#test/support/commands.ts';
import { png } from '#test/support/images.ts';
import { receiverAddress, startReceiver, type Received, type Receiver } from '#test/support/receiver.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';

let receiver: Receiver;
let service: TestService;
let picture: Buffer;
before(async () => {
  receiver = await startReceiver();
  service = await startService({ EGRESS_ALLOW: receiverAddress });
  picture = await png();
});
after(async () => {
  await service.stop();
  await receiver.close();
});

interface Message {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** Somebody with a key and an endpoint at a path of their own. */
async function listener(events: string[], plan = 'business') {
  const visitor = await signedInVisitor(service, { plan });
  const path = `/${visitor.accountId}`;
  const { key } = await service.accounts.createKey(visitor.email, 'test');
  const { status, body } = await visitor.call('POST /webhooks', {
    body: { url: receiver.base + path, events },
  });
  assert.equal(status, 201);
  const next = async (type: string): Promise<Message> => {
    const request = await receiver.next(
      (candidate) => candidate.path === path && candidate.body.includes(type),
    );
    return new Webhook(body.secret ?? '').verify(request.body, headersOf(request)) as Message;
  };
  return { visitor, path, key, endpoint: body.endpoint, secret: body.secret ?? '', next };
}
const headersOf = ({ headers }: Received) => headers as Record<string, string>;
const upload = (key: string, ...names: string[]) =>
  post<UploadResult>(`${service.origin}/api/v1/upload`, {
    headers: bearer(key),
    body: formOf(names.map((name) => [picture, name])),
  });

test('an upload is reported when it is stored and when it is deleted, by link and in the dashboard', async () => {
  const { visitor, key, next } = await listener(['upload.created', 'upload.deleted']);
  const { body } = await upload(key, 'a.png');
  const created = await next('upload.created');
  const { delete_url: _, ...links } = body;
  assert.deepEqual(Object.keys(created.data), [
    'id',
    'url',
    'file_url',
    'filename',
    'content_type',
    'size_bytes',
    'width',
    'height',
    'sha256',
    'created_at',
    'expires_at',
  ]);
  assert.deepEqual(
    [created.type, created.data['id'], created.data['url'], created.data['file_url']],
    ['upload.created', links.id, links.url, links.file_url],
  );
  const { pathname, search } = new URL(body.delete_url);
  for (const status of [200, 404]) {
    const response = await fetch(service.origin + pathname + search, { method: 'DELETE' });
    assert.equal(response.status, status);
    await response.body?.cancel();
  }
  assert.equal((await next('upload.deleted')).data['id'], body.id);

  const { body: another } = await upload(key, 'b.png');
  await next('upload.created');
  await visitor.call('DELETE /uploads/:id', { id: another.id });
  assert.equal((await next('upload.deleted')).data['id'], another.id);
  const { body: shown } = await visitor.call('GET /webhooks/deliveries');
  assert.deepEqual(
    shown.items.map(({ event }) => event),
    ['upload.deleted', 'upload.created', 'upload.deleted', 'upload.created'],
  );
});

test('every file of a batch is reported, and uploads in the dashboard too', async () => {
  const { visitor, key, next } = await listener(['upload.created']);
  const { body } = await post<{ items: { upload: UploadResult }[] }>(
    `${service.origin}/api/v1/upload/batch`,
    {
      headers: bearer(key),
      body: formOf([1, 2, 3].map((name) => [picture, `${name}.png`])),
    },
  );
  const reported = [];
  for (const item of body.items) {
    assert.ok(item.upload);
    reported.push((await next('upload.created')).data['id']);
  }
  assert.deepEqual(new Set(reported), new Set(body.items.map((item) => item.upload.id)));
  const form = formOf([[picture, 'dashboard.png']]);
  assert.equal((await visitor.call('POST /uploads', { form })).status, 201);
  assert.equal((await next('upload.created')).data['filename'], 'dashboard.png');
});

test('a threshold of the quota is reported once', async () => {
  const { visitor, key, next } = await listener(['quota.warning'], 'free');
  await service.database.connection
    .insertInto('usage_counters')
    .values({
      account_id: visitor.accountId,
      unit: 'upload',
      month: new Date(service.clock.now()).toISOString().slice(0, 7),
      used: 398,
      overage: 0,
    })
    .execute();
  for (const name of ['a.png', 'b.png', 'c.png']) assert.equal((await upload(key, name)).status, 201);
  const { data } = await next('quota.warning');
  const { month, resets_at, ...rest } = data;
  assert.deepEqual(rest, { unit: 'upload', percent: 80, used: 400, limit: 500 });
  assert.ok(String(resets_at) > String(month));
  assert.equal((await visitor.call('GET /webhooks/deliveries')).body.items.length, 1);
});

test('an endpoint is edited, switched off and on, and removed', async () => {
  const { visitor, path, key, endpoint, next } = await listener(['upload.created']);
  const change = (body: object) => visitor.call('PATCH /webhooks/:id', { id: endpoint.id, body });
  assert.deepEqual((await change({ events: ['quota.warning', 'upload.deleted'] })).body.events, [
    'upload.deleted',
    'quota.warning',
  ]);
  await upload(key, 'unheard.png');
  await change({ events: ['upload.created'], enabled: false });
  await upload(key, 'unheard.png');
  const { body: off } = await visitor.call('GET /webhooks');
  assert.deepEqual([off.endpoints[0]!.enabled, off.endpoints[0]!.off_reason], [false, 'owner']);
  await change({ enabled: true, url: `${receiver.base}${path}` });
  await upload(key, 'heard.png');
  assert.equal((await next('upload.created')).data['filename'], 'heard.png');
  assert.equal(receiver.received.filter((request) => request.path === path).length, 1);
  assert.equal((await visitor.call('DELETE /webhooks/:id', { id: endpoint.id })).status, 200);
  const { body } = await visitor.call('GET /webhooks');
  assert.deepEqual([body.endpoints, body.limit], [[], 5]);
  await upload(key, 'unheard.png');
  assert.deepEqual((await visitor.call('GET /webhooks/deliveries')).body.items, []);
});

test('mistakes are refused with the field that has them', async () => {
  const visitor = await signedInVisitor(service);
  const events = ['upload.created'];
  for (const [body, field] of [
    [{ url: 'http://example.com/', events }, 'url'],
    [{ url: 'https://10.0.0.1/', events }, 'url'],
    [{ url: 'https://[fd00::1]/', events }, 'url'],
    [{ url: 'https://metadata.internal/', events }, 'url'],
    [{ url: receiver.base, events: [] }, 'events'],
    [{ url: receiver.base, events: ['upload.viewed'] }, 'events'],
    [{ url: receiver.base }, 'events'],
  ] as const) {
    const answer = await visitor.call('POST /webhooks', { body });
    assert.equal(answer.status, 422, JSON.stringify(body));
    assert.match(answer.body.error.message, new RegExp(`^${field}`));
  }
});

test('the log shows each attempt; a message is sent again on request', async () => {
  const { visitor, key, path } = await listener(['upload.created']);
  receiver.answer(
    (request, response) => void response.writeHead(request.path === path ? 503 : 204).end('our secret plans'),
  );
  await upload(key, 'a.png');
  const item = async () => (await visitor.call('GET /webhooks/deliveries')).body.items[0]!;
  await waitFor('the first attempt', async () => (await item()).attempts.length === 1);
  const { id, state, next_at, attempts, url } = await item();
  assert.deepEqual(
    [state, url, attempts[0]!.status, attempts[0]!.failure],
    ['waiting', receiver.base + path, 503, null],
  );
  assert.ok(Date.parse(next_at ?? '') > Date.parse(attempts[0]!.at));
  assert.equal(JSON.stringify(await item()).includes('secret plans'), false);
  const early = await visitor.call('POST /webhooks/deliveries/:id/send', { id });
  assert.equal(early.status, 422);
  receiver.answer((_, response) => void response.writeHead(204).end());
  await service.clock.advance(6_000);
  await waitFor('the second attempt', async () => (await item()).state === 'delivered');
  const { body } = await visitor.call('GET /webhooks/deliveries/:id', { id });
  assert.equal((body.body as Message).data['filename'], 'a.png');
  assert.equal((await visitor.call('POST /webhooks/deliveries/:id/send', { id })).status, 200);
  await waitFor('the third attempt', async () => (await item()).attempts.length === 3);
  const failed = await visitor.call('GET /webhooks/deliveries', { query: { state: 'failed' } });
  assert.deepEqual(failed.body.items, []);
  await service.clock.advance(-6_000);
});

test('npx tintype webhook-secret rotate: the new secret and the old one sign', async () => {
  const { visitor, key, path, secret } = await listener(['upload.created']);
  const { code, stdout, stderr } = await command(
    ['webhook-secret', 'rotate', '--account', visitor.email, '--json'],
    service.environment,
  );
  assert.deepEqual([code, stderr], [0, '']);
  const { secret: rotated, ...rest } = JSON.parse(stdout) as { secret: string };
  assert.deepEqual(rest, {});
  await upload(key, 'a.png');
  const request = await receiver.next((candidate) => candidate.path === path);
  for (const each of [secret, rotated]) new Webhook(each).verify(request.body, headersOf(request));
  const { body } = await visitor.call('GET /webhooks');
  assert.ok(Date.parse(body.old_secret_until ?? '') > service.clock.now());
  const { body: again } = await visitor.call('POST /webhooks/rotate-secret');
  await upload(key, 'b.png');
  const later = await receiver.next((candidate) => candidate.path === path);
  for (const each of [rotated, again.secret]) new Webhook(each).verify(later.body, headersOf(later));
  assert.throws(() => new Webhook(secret).verify(later.body, headersOf(later)));
  const unknown = await command(
    ['webhook-secret', 'rotate', '--account', 'nobody@example.com'],
    service.environment,
  );
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /^tintype: there is no account "nobody@example.com"\n$/);
});
