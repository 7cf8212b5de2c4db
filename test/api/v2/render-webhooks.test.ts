// Every render is reported to the webhooks of its account: the message is its receipt, signed, as `GET` shows it and as the document
// says. Spec 10.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Compile } from 'typebox/schema';
import { webhookEvents } from '#storage/schema.ts';
import type { Render } from '#api/v2/schemas.ts';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { receiverAddress, startReceiver, type Receiver } from '#test/support/receiver.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';

interface Message {
  type: string;
  timestamp: string;
  data: Render;
}
interface Document {
  components: object;
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: object }> } } }>;
}

let receiver: Receiver;
let site: PageServer;
let service: TestService;
let document: Document;
before(async () => {
  [receiver, site] = await Promise.all([
    startReceiver(),
    startPageServer({
      '/': '<!doctype html><title>Small</title><p>Hello',
      '/long': `<!doctype html><p>${'word '.repeat(60_000)}`,
    }),
  ]);
  service = await startService({ EGRESS_ALLOW: `${receiverAddress},${site.host}` });
  document = (await (await fetch(`${service.origin}/openapi-v2.json`)).json()) as Document;
});
after(async () => {
  await service.stop();
  await Promise.all([receiver.close(), site.close()]);
});

async function listener(events: readonly string[] = webhookEvents) {
  const visitor = await signedInVisitor(service, { plan: 'business' });
  const path = `/${visitor.accountId}`;
  const { key } = await service.accounts.createKey(visitor.email, 'test');
  const { body } = await visitor.call('POST /webhooks', { body: { url: receiver.base + path, events } });
  const headers = bearer(key);
  return {
    key,
    visitor,
    async next(): Promise<Message> {
      const request = await receiver.next((candidate) => candidate.path === path);
      const signed = request.headers as Record<string, string>;
      const message = new Webhook(body.secret ?? '').verify(request.body, signed) as Message;
      const { schema } = document.webhooks[message.type]!.post.requestBody.content['application/json']!;
      assert.ok(Compile({ ...schema, components: document.components }).Check(message), message.type);
      return message;
    },
    send: (version: string, request: object) =>
      fetch(`${service.origin}/api/${version}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(request),
      }),
    async receipt(id: string): Promise<Render> {
      const answer = await fetch(`${service.origin}/api/v2/renders/${id}`, { headers });
      return (await answer.json()) as Render;
    },
  };
}

test('render.succeeded: hosted, as bytes, and of version 1, with the receipt', async () => {
  const { next, send, receipt } = await listener();
  const url = `${site.base}/?token=secret`;
  for (const [path, request] of [
    [
      'v2/renders',
      { url, outputs: [{ format: 'png' }, { format: 'text' }], response: 'json', reference: 'a' },
    ],
    ['v2/renders', { url, format: 'metadata' }],
    ['v1/screenshot', { url }],
    ['v1/pdf', { url, response: 'json' }],
  ] as const) {
    const answer = await send(path, request);
    assert.equal(answer.status, 200);
    const shown = answer.headers.get('x-service-id') ?? ((await answer.json()) as { id: string }).id;
    const { type, data } = await next();
    assert.equal(type, 'render.succeeded');
    assert.equal(data.id, shown);
    assert.deepEqual(data, await receipt(data.id));
    assert.ok(!JSON.stringify(data).includes('secret'));
    if (path === 'v2/renders' && 'reference' in request) {
      assert.equal(data.reference, 'a');
      assert.equal(data.outputs[1]?.text?.trim(), 'Hello');
    }
  }
});

test('render.failed: the receipt with the error, whatever version was asked', async () => {
  const { next, send, receipt } = await listener(['render.failed']);
  const url = 'https://127.0.0.2:1/?token=secret';
  for (const path of ['v2/renders', 'v1/screenshot']) {
    assert.equal((await send(path, { url })).status, 502);
    const { type, data } = await next();
    assert.deepEqual([type, data.state, data.units, data.outputs], ['render.failed', 'failed', 0, []]);
    assert.partialDeepStrictEqual(data.error, { code: 'render_failed', reason: 'unreachable' });
    assert.deepEqual(data, await receipt(data.id));
    assert.ok(!JSON.stringify(data).includes('secret'));
  }
  // What is refused before the page is opened is no render.
  assert.equal((await send('v2/renders', { url: 'https://10.0.0.1/' })).status, 422);
  assert.equal((await send('v2/renders', { url })).status, 502);
  assert.equal((await next()).type, 'render.failed');
});

test('texts that make a message larger than 256 KB are left to their addresses', async () => {
  const { next, send, receipt } = await listener();
  const outputs = [{ format: 'text' }, { format: 'metadata' }];
  const answer = await send('v2/renders', { url: `${site.base}/long`, outputs, response: 'json' });
  const { outputs: answered } = (await answer.json()) as Render;
  assert.ok(answered[0]!.text!.length > 256 * 1024);
  const { data } = await next();
  const full = await receipt(data.id);
  assert.deepEqual(full.outputs, answered);
  assert.deepEqual(data, {
    ...full,
    outputs: full.outputs.map((output) => ({ ...output, text: null, data: null })),
  });
  assert.ok(data.outputs.every(({ url }) => url !== null));
});

test('the document has every event, and the messages of uploads and quotas are as it says', async () => {
  assert.deepEqual(Object.keys(document.webhooks).toSorted(), webhookEvents.toSorted());
  const { key, visitor, next } = await listener();
  const counter = {
    account_id: visitor.accountId,
    unit: 'upload',
    month: new Date(service.clock.now()).toISOString().slice(0, 7),
    used: 799_999,
    overage: 0,
  } as const;
  await service.database.connection.insertInto('usage_counters').values(counter).execute();
  const form = formOf([[await png(), 'a.png']]);
  const { body } = await post<{ id: string }>(`${service.origin}/api/v1/upload`, {
    headers: bearer(key),
    body: form,
  });
  const types = [(await next()).type, (await next()).type];
  assert.deepEqual(types.toSorted(), ['quota.warning', 'upload.created']);
  await visitor.call('DELETE /uploads/:id', { id: body.id });
  assert.equal((await next()).type, 'upload.deleted');
});
