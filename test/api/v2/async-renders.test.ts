// Renders that are queued, over HTTP and with a real browser: accepted at once, waited for, canceled, repeated and reported. Spec 10.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { unseal } from '#core/seal.ts';
import { installationSecret } from '#accounts/installation-secret.ts';
import type { Render } from '#api/v2/schemas.ts';
import { passWait } from '#test/support/clock.ts';
import { startDnsServer, type DnsServer } from '#test/support/dns-server.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { receiverAddress, startReceiver, type Received, type Receiver } from '#test/support/receiver.ts';
import { bearer, type Answer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';

let service: TestService;
let site: PageServer;
let receiver: Receiver;
let dns: DnsServer;
before(async () => {
  [dns, site, receiver] = await Promise.all([
    startDnsServer(() => ['10.0.0.1']),
    startPageServer({ '/': '<!doctype html><title>Hello</title><h1>Hello</h1>' }),
    startReceiver(),
  ]);
  service = await startService(
    {
      EGRESS_ALLOW: `${site.host},${receiverAddress}`,
      PLANS_FILE: new URL('../../fixtures/plans.json', import.meta.url).pathname,
    },
    0,
    [dns.address],
  );
});
after(async () => {
  await service.stop();
  dns.close();
  await Promise.all([site.close(), receiver.close()]);
});

interface Failure {
  error: { code: string; message: string; field?: string; retryable: boolean };
}

/** The calls of one account. */
async function client(plan = 'business') {
  const { key, accountId } = await service.newKey({ plan });
  async function call<T = Render>(
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${service.origin}/api/v2${path}`, {
      method,
      headers: { ...bearer(key), 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  }
  return {
    key,
    accountId,
    call,
    queue: (body: object = {}, headers = {}) =>
      call('POST', '/renders', { html: '<p>text', format: 'text', async: true, ...body }, headers),
    /** Takes all slots, so that what is queued stays so. */
    hold: () =>
      service.database.tables.renderLeases.insert({
        id: `held ${accountId}`,
        account_id: accountId,
        key_id: null,
        expires_at: 1e15,
        units: 0,
      }),
    letGo: () => service.database.tables.renderLeases.delete(`held ${accountId}`),
  };
}

test('10.5 async with max_age: an earlier result is a 202 that has succeeded, and its webhook is told', async () => {
  const { call, queue } = await client();
  const asked = { html: '<p>cached', max_age: 3600 };
  const { body: queued } = await queue(asked);
  const first = await call('GET', `/renders/${queued.id}?wait=30`);
  assert.deepEqual([first.body.state, first.body.cached, first.body.units], ['succeeded', false, 1]);
  const webhookUrl = `${receiver.base}/cached`;
  const headers = { 'idempotency-key': 'a-hit' };
  const hit = await queue({ ...asked, webhook_url: webhookUrl, reference: 'again' }, headers);
  assert.equal(hit.status, 202);
  const { id, state, cached, units, reference, outputs } = hit.body;
  assert.deepEqual([id, state, cached, units, reference], [queued.id, 'succeeded', true, 0, 'again']);
  assert.equal(outputs[0]?.text?.trim(), 'cached');
  assert.ok(outputs[0]?.url);
  const message = JSON.parse(String((await receiver.next(({ path }) => path === '/cached')).body)) as {
    type: string;
    data: Render;
  };
  const { data } = message;
  assert.deepEqual(
    [message.type, data.id, data.cached, data.units, data.reference],
    ['render.succeeded', queued.id, true, 0, 'again'],
  );
  const repeat = await queue({ ...asked, webhook_url: webhookUrl, reference: 'again' }, headers);
  assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [202, 'true']);
  const refused = await queue({ ...asked, webhook_url: 'https://10.0.0.1/' });
  assert.equal(refused.status, 422);
});

test('10.5 async with max_age: hits whose messages wait leave next to nothing in the database', async () => {
  const { call, queue, accountId } = await client();
  const word = 'word '.repeat(40_000);
  const asked = { html: `<p>${word}`, max_age: 3600 };
  const { body: queued } = await queue(asked);
  const first = await call('GET', `/renders/${queued.id}?wait=30`);
  assert.equal(first.body.outputs[0]?.text?.trim().length, word.length - 1);
  // Its receiver is down.
  const down = `${receiver.base}/down`;
  receiver.answer(({ path }, response) => void response.writeHead(path === '/down' ? 500 : 204).end());
  for (let hit = 0; hit < 10; hit += 1)
    assert.equal((await queue({ ...asked, webhook_url: down, reference: `hit ${hit}` })).body.cached, true);
  const deliveries = () =>
    service.database.connection
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('account_id', '=', accountId)
      .execute();
  const waiting = await deliveries();
  assert.equal(waiting.length, 10);
  assert.ok(JSON.stringify(waiting).length < 10 * 1_400, `${JSON.stringify(waiting).length} bytes`);
  // The message itself has the text, and what this request has of its own.
  await queue({ ...asked, webhook_url: `${receiver.base}/long`, reference: 'long' });
  const { body } = await receiver.next(({ path }) => path === '/long');
  const { data } = JSON.parse(String(body)) as { data: Render };
  assert.deepEqual(
    [data.id, data.reference, data.cached, data.units, data.outputs],
    [queued.id, 'long', true, 0, first.body.outputs],
  );
  // Of one that is deleted, the message has no files.
  assert.equal((await call('DELETE', `/renders/${queued.id}`)).status, 200);
  const isWithoutText = ({ path, body: sent }: Received) =>
    path === '/down' && !String(sent).includes('word word');
  // An attempt that is under way ends before the next one is made, so time goes on until that has come.
  const minuteMs = 60_000;
  let passedMs = 0;
  await waitFor('a message after the deletion', async () => {
    await service.clock.advance(minuteMs);
    passedMs += minuteMs;
    return receiver.received.some(isWithoutText);
  });
  const later = await receiver.next(isWithoutText);
  const { type, data: kept } = JSON.parse(String(later.body)) as { type: string; data: Render };
  assert.deepEqual(
    [type, kept.id, kept.state, kept.cached, kept.outputs],
    ['render.succeeded', queued.id, 'succeeded', true, []],
  );
  receiver.answer((_, response) => void response.writeHead(204).end());
  await service.clock.advance(-passedMs);
});

test('10.5 async: 202, then the result, hosted whatever response says', async () => {
  const { call, queue } = await client();
  const { status, headers, body } = await queue({
    url: `${site.base}/?token=secret`,
    html: undefined,
    format: undefined,
    outputs: [{ format: 'png' }, { format: 'text' }],
    response: 'file',
    expires_in: 3_600,
    reference: 'order 7',
  });
  assert.equal(status, 202);
  assert.ok(Number(headers.get('x-service-quota-limit')) > 0);
  assert.match(body.state, /^queued|running$/);
  assert.deepEqual(
    [body.reference, body.finished_at, body.units, body.outputs, body.error, body.page.url],
    ['order 7', null, 0, [], null, `${site.base}/`],
  );
  const ended = await call('GET', `/renders/${body.id}?wait=30`);
  assert.deepEqual([ended.status, ended.body.state, ended.body.units], [200, 'succeeded', 1]);
  assert.deepEqual([ended.body.created_at, ended.body.page.title], [body.created_at, 'Hello']);
  assert.equal(ended.body.outputs[1]?.text?.trim(), 'Hello');
  assert.notEqual(ended.body.expires_at, null);
  const { pathname } = new URL(ended.body.outputs[0]?.url ?? '');
  const picture = await fetch(service.origin + pathname);
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
});

test('10.5 a form: the page finds its files when it runs', async () => {
  const { call } = await client();
  const form = new FormData();
  const request = { html: '<link rel=stylesheet href=a.css><p>text', format: 'png', async: true };
  form.append('request', JSON.stringify({ ...request, fail_on: ['request_failed'] }));
  form.append('file', new File(['p { color: red }'], 'a.css'));
  const { key } = await client();
  const response = await fetch(`${service.origin}/api/v2/renders`, {
    method: 'POST',
    headers: bearer(key),
    body: form,
  });
  const { id } = (await response.json()) as Render;
  const ended = await fetch(`${service.origin}/api/v2/renders/${id}?wait=30`, { headers: bearer(key) });
  assert.deepEqual([response.status, ((await ended.json()) as Render).state], [202, 'succeeded']);
  assert.equal((await call('GET', `/renders/${id}`)).status, 404, 'another account sees nothing');
});

test('10.5 webhook_url: the receipt arrives, signed, of a success and of a failure', async () => {
  const { accountId, call, queue } = await client();
  const url = `${receiver.base}/${accountId}?token=1`;
  const isMine = ({ path }: { path: string }) => path.startsWith(`/${accountId}`);
  const verified = async () => {
    const request = await receiver.next(isMine);
    const row = await service.database.tables.webhookSecrets.read(accountId);
    assert.ok(row);
    const secret = unseal(await installationSecret(service.database), row.sealed);
    return new Webhook(secret).verify(request.body, request.headers as Record<string, string>) as {
      type: string;
      data: Render;
    };
  };
  const made = await queue({ webhook_url: url });
  const good = await verified();
  assert.equal(good.type, 'render.succeeded');
  assert.deepEqual(good.data, (await call('GET', `/renders/${made.body.id}`)).body);
  const failed = await queue({ wait_for: '#nothing', timeout_ms: 6_000, webhook_url: url });
  const bad = await verified();
  assert.deepEqual([bad.type, bad.data.id, bad.data.state], ['render.failed', failed.body.id, 'failed']);
  const { reason, request_id } = bad.data.error as { reason?: string; request_id?: string };
  assert.deepEqual([reason, request_id], ['condition_unmet', failed.headers.get('x-request-id')]);
  const list = await call<{ items: object[] }>('GET', '/renders');
  assert.ok(!JSON.stringify(list.body).includes('webhook_url'));
});

test('10.5 a wrong webhook_url is refused at once, by its field', async () => {
  const { queue, call } = await client();
  for (const [webhook_url, reason] of [
    ['https://127.0.0.1/hook', /public address/],
    ['https://localhost/', /public address/],
    ['http://93.184.216.34/', /https:/],
    ['https://user:pass@93.184.216.34/', /user name/],
  ] as const) {
    const { status, body } = await queue({ webhook_url });
    const { error } = body as unknown as Failure;
    assert.deepEqual(
      [status, error.code, error.field],
      [422, 'validation_error', 'webhook_url'],
      webhook_url,
    );
    assert.match(error.message, reason);
    assert.ok(!error.message.includes('user:pass'));
  }
  const sync = await call<Failure>('POST', '/renders', { html: '<p>', webhook_url: `${receiver.base}/` });
  assert.deepEqual([sync.status, sync.body.error.field], [422, 'webhook_url']);
  const usage = await call<{ renders: object }>('GET', '/usage');
  assert.deepEqual(usage.body.renders, { running: 0, queued: 0, cap: 25 });
});

test('10.5 queued and running ones are in the list, in usage and in the dashboard; those of version 1 are not changed', async () => {
  const visitor = await signedInVisitor(service, { plan: 'one-slot' });
  const { key } = await service.accounts.createKey(visitor.email, 'test');
  const get = async <T>(path: string) =>
    (await (await fetch(service.origin + path, { headers: bearer(key) })).json()) as T;
  await service.database.tables.renderLeases.insert({
    id: `held ${visitor.accountId}`,
    account_id: visitor.accountId,
    key_id: null,
    expires_at: 1e15,
    units: 0,
  });
  const response = await fetch(`${service.origin}/api/v2/renders`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify({ html: '<p>', async: true, reference: 'r' }),
  });
  const { id } = (await response.json()) as Render;
  const usage = await get<{ renders: object }>('/api/v2/usage');
  assert.deepEqual(usage.renders, { running: 1, queued: 1, cap: 1 });
  const list = await get<{ items: Render[] }>('/api/v2/renders?reference=r');
  assert.deepEqual(
    list.items.map((item) => [item.id, item.state]),
    [[id, 'queued']],
  );
  assert.deepEqual((await get<{ items: object[] }>('/api/account/renders')).items, []);
  const shown = await visitor.call('GET /renders');
  assert.deepEqual(
    shown.body.items.map(({ id: shownId, status }) => [shownId, status]),
    [[id, 'queued']],
  );
  const overview = await visitor.call('GET /overview');
  assert.equal(overview.body.recent_renders[0]?.status, 'queued');
  const deleted = await visitor.call('DELETE /renders/:id', { id });
  assert.equal(deleted.status, 200);
  assert.deepEqual((await get<{ items: object[] }>('/api/v2/renders')).items, []);
  assert.deepEqual((await get<{ renders: object }>('/api/v2/usage')).renders, {
    running: 1,
    queued: 0,
    cap: 1,
  });
});

test('10.5 DELETE cancels what waits and what runs, and deletes what has ended', async () => {
  const { call, queue, hold, letGo } = await client('one-slot');
  await hold();
  const waiting = (await queue()).body.id;
  const canceled = await call('DELETE', `/renders/${waiting}`);
  assert.deepEqual([canceled.status, canceled.body.state, canceled.body.units], [200, 'canceled', 0]);
  assert.deepEqual((await call('GET', `/renders/${waiting}?wait=30`)).body, canceled.body);
  await letGo();

  const { id } = (await queue({ delay_ms: 10_000, timeout_ms: 30_000 })).body;
  await waitFor('it to run', async () => (await call('GET', `/renders/${id}`)).body.state === 'running');
  const waits = call('GET', `/renders/${id}?wait=30`);
  assert.equal((await call('DELETE', `/renders/${id}`)).body.state, 'canceled');
  assert.equal((await waits).body.state, 'canceled');
  const next = (await queue()).body.id;
  assert.equal((await call('GET', `/renders/${next}?wait=30`)).body.state, 'succeeded', 'the slot is free');
  assert.deepEqual((await call<object>('DELETE', `/renders/${next}`)).body, { id: next, deleted: true });
  assert.equal((await call('GET', `/renders/${next}`)).status, 404);
  assert.deepEqual((await call<object>('DELETE', `/renders/${waiting}`)).body, {
    id: waiting,
    deleted: true,
  });
  assert.equal((await call('DELETE', `/renders/${waiting}`)).status, 404);
});

test('10.5 wait is 0 to 30, and ends with its time', async () => {
  const { call, queue, hold } = await client('one-slot');
  await hold();
  const { id } = (await queue()).body;
  const answer = call('GET', `/renders/${id}?wait=29`);
  await passWait(service.clock, 29_000);
  assert.equal((await answer).body.state, 'queued');
  for (const wait of ['31', '-1', '1.5', 'x'])
    assert.equal((await call<Failure>('GET', `/renders/${id}?wait=${wait}`)).body.error.field, 'wait');
  await call('DELETE', `/renders/${id}`);
});

test('10.5 a repeat with the same Idempotency-Key gets the first answer, and one render is queued', async () => {
  const { call, queue } = await client();
  const headers = { 'idempotency-key': 'one' };
  const [first, again] = [await queue({}, headers), await queue({}, headers)];
  assert.deepEqual([again.status, again.body], [202, first.body]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const other = await queue({ reference: 'other' }, headers);
  assert.equal(other.status, 422);
  await call('GET', `/renders/${first.body.id}?wait=30`);
  assert.equal((await call<{ items: object[] }>('GET', '/renders')).body.items.length, 1);
  assert.equal((await call<{ render: { used: number } }>('GET', '/usage')).body.render.used, 1);
});

test('10.5 queue_full: as many wait as the plan allows, and Retry-After says when to come again', async () => {
  const { queue, hold } = await client('two-queued');
  await hold();
  assert.deepEqual([(await queue()).status, (await queue()).status], [202, 202]);
  const { status, headers, body } = await queue();
  const { error } = body as unknown as Failure;
  assert.deepEqual(
    [status, error.code, error.retryable, headers.get('retry-after')],
    [429, 'queue_full', true, '5'],
  );
});

test('10.5 a name with a private address: 422 for a webhook, a failure that is not retryable for the page', async () => {
  const { call, queue } = await client();
  const refused = (await queue({ webhook_url: 'https://inside.example/' })).body as unknown as Failure;
  assert.equal(refused.error.field, 'webhook_url');
  const { body } = await queue({ url: 'http://inside.example/', html: undefined });
  const { state, error } = (await call('GET', `/renders/${body.id}?wait=30`)).body;
  assert.equal(state, 'failed');
  const { reason, field, retryable, message } = error as Failure['error'] & { reason: string };
  assert.deepEqual([reason, field, retryable], ['not_public', 'url', false]);
  assert.match(message, /^url: must be a public address/);
});
