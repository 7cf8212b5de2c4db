// put_url: the bytes of an output go to a real S3 server too, by presigned addresses over TLS. What does not arrive is a warning, the
// address is a secret, and one that is not public is refused at once. Spec 10.
import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { after, before, test } from 'node:test';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { newId } from '#core/ids.ts';
import type { Render } from '#api/v2/schemas.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { startDnsServer, type DnsServer } from '#test/support/dns-server.ts';
import { receiverAddress, startReceiver, type Receiver } from '#test/support/receiver.ts';
import { bearer } from '#test/support/requests.ts';
import { openS3, s3Credentials, type AnyS3 } from '#test/support/s3.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';

interface Refusal {
  error: { code: string; message: string; field: string };
}

let s3: AnyS3;
let bucket: string;
let objects: S3Client;
let signer: S3Client;
let front: Receiver;
let receiver: Receiver;
let names: DnsServer;
let service: TestService;
before(async () => {
  s3 = await openS3();
  const storage = new URL(s3.newStorageUrl());
  const endpoint = storage.searchParams.get('endpoint') ?? '';
  bucket = storage.host;
  const authority = createAuthority();
  [front, receiver, names] = await Promise.all([
    startReceiver({ authority, handle: (request, response) => forward(endpoint, request, response) }),
    startReceiver({ authority }),
    startDnsServer((name) => (name === 'put.mixed.test' ? ['93.184.216.34', '10.0.0.1'] : ['10.0.0.1'])),
  ]);
  const settings = {
    region: 'us-east-1',
    forcePathStyle: true,
    // Otherwise the address is signed for the checksum of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    credentials: {
      accessKeyId: s3Credentials.AWS_ACCESS_KEY_ID,
      secretAccessKey: s3Credentials.AWS_SECRET_ACCESS_KEY,
    },
  };
  objects = new S3Client({ ...settings, endpoint });
  signer = new S3Client({ ...settings, endpoint: front.base });
  service = await startService({ EGRESS_ALLOW: receiverAddress }, 0, [names.address]);
});
after(async () => {
  await service.stop();
  objects.destroy();
  signer.destroy();
  names.close();
  await Promise.all([front.close(), receiver.close(), s3.stop()]);
});

/** What is in front of a store: TLS ends here. */
function forward(endpoint: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = request;
  const onward = httpRequest(new URL(url, endpoint), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => {});
  });
  pipeline(request, onward, (error) => error && response.destroy());
}

const presigned = (key: string) =>
  getSignedUrl(signer, new PutObjectCommand({ Bucket: bucket, Key: key }), { expiresIn: 600 });

async function stored(key: string) {
  const { Body, ContentType, ContentLength } = await objects.send(
    new GetObjectCommand({ Bucket: bucket, Key: key }),
  );
  return { type: ContentType, length: ContentLength, bytes: Buffer.from(await Body!.transformToByteArray()) };
}

async function render(key: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${service.origin}/api/v2/renders`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function bytesOf(url: string): Promise<Buffer> {
  const response = await fetch(service.origin + new URL(url).pathname);
  return Buffer.from(await response.arrayBuffer());
}

const html = '<!doctype html><title>Report</title><h1>Report</h1>';

test('hosted outputs of every kind are in the bucket, with their type and length', async () => {
  const { key } = await service.newKey();
  const formats = ['png', 'pdf', 'text', 'metadata'];
  const keys = formats.map((format) => `${newId()}.${format}`);
  const outputs = await Promise.all(
    formats.map(async (format, place) => ({ format, put_url: await presigned(keys[place]!) })),
  );
  const answer = await render(key, { html, outputs: [...outputs, { format: 'html' }], response: 'json' });
  const receipt = (await answer.json()) as Render;
  assert.deepEqual([answer.status, receipt.warnings, receipt.units], [200, [], 2]);
  for (const [place, name] of keys.entries()) {
    const output = receipt.outputs[place]!;
    const { type, length, bytes } = await stored(name);
    assert.deepEqual([type, length], [output.content_type, output.size_bytes]);
    assert.deepEqual(bytes, await bytesOf(output.url!));
  }
  assert.match(answer.headers.get('server-timing') ?? '', /\bput;dur=/);
});

test('bytes in the answer are in the bucket too, and a replay sends nothing again', async () => {
  const { key } = await service.newKey();
  const name = `${newId()}.webp`;
  const body = { html, format: 'webp', put_url: await presigned(name) };
  const headers = { 'idempotency-key': newId() };
  const answer = await render(key, body, headers);
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.deepEqual([answer.status, answer.headers.get('x-service-warnings')], [200, '0']);
  assert.deepEqual(await stored(name), { type: 'image/webp', length: bytes.length, bytes });

  const again = { html, put_url: `${receiver.base}/once` };
  const repeated = { 'idempotency-key': newId() };
  for (const _ of [1, 2]) assert.equal((await render(key, again, repeated)).status, 200);
  assert.equal(receiver.received.filter(({ path }) => path === '/once').length, 1);
});

test('what does not arrive is a warning in answer, receipt and webhook, refunds nothing, and stays secret', async () => {
  const visitor = await signedInVisitor(service, { plan: 'business' });
  const { key } = await service.accounts.createKey(visitor.email, 'test');
  await visitor.call('POST /webhooks', {
    body: { url: `${receiver.base}/hook`, events: ['render.succeeded'] },
  });
  receiver.answer(({ path }, response) => {
    if (path.startsWith('/moved')) response.writeHead(307, { location: `${receiver.base}/elsewhere` });
    response.end('kept to ourselves');
  });
  const wrong = new URL(await presigned('forbidden.png'));
  wrong.searchParams.set('X-Amz-Signature', 'f0f0'.repeat(16));
  const closed = `https://${receiverAddress}:1/file?X-Amz-Signature=${'f0f0'.repeat(16)}`;
  const outputs = [
    { put_url: wrong.href },
    { format: 'pdf', put_url: `${receiver.base}/moved?token=f0f0f0f0` },
    { format: 'text', put_url: closed },
    { format: 'html', put_url: `${receiver.base}/arrived` },
  ];
  const request = { html, outputs, response: 'json', reference: 'late' };
  const answer = await render(key, request, { 'idempotency-key': newId() });
  const receipt = (await answer.json()) as Render;
  assert.deepEqual([answer.status, receipt.state, receipt.units], [200, 'succeeded', 2]);
  const unreached =
    'the file could not be sent: the address cannot be reached, has no valid certificate or took too long';
  assert.deepEqual(receipt.warnings, [
    {
      code: 'request_failed',
      message: 'outputs[0].put_url: the file was sent, and the answer was 403',
      url: wrong.origin + wrong.pathname,
    },
    {
      code: 'request_failed',
      message: 'outputs[1].put_url: the file was sent, and the answer was 307',
      url: `${receiver.base}/moved`,
    },
    {
      code: 'request_failed',
      message: `outputs[2].put_url: ${unreached}`,
      url: `https://${receiverAddress}:1/file`,
    },
  ]);
  for (const { url } of receipt.outputs) assert.ok((await bytesOf(url!)).length > 0);
  const read = await fetch(`${service.origin}/api/v2/renders/${receipt.id}`, { headers: bearer(key) });
  assert.deepEqual(await read.json(), receipt);
  const hook = await receiver.next(({ path }) => path === '/hook');
  assert.deepEqual((JSON.parse(hook.body.toString()) as { data: unknown }).data, receipt);
  assert.deepEqual(
    receiver.received.filter(({ path }) => path === '/elsewhere'),
    [],
  );

  const file = await render(key, { html, put_url: closed });
  assert.deepEqual([file.status, file.headers.get('x-service-warnings')], [200, '1']);
  assert.deepEqual(
    Buffer.from(await file.arrayBuffer())
      .subarray(1, 4)
      .toString(),
    'PNG',
  );

  // The request log is written once a second.
  await service.clock.advance(1_000);
  const { connection } = service.database;
  const tables = ['renders', 'webhook_deliveries', 'idempotency_keys', 'request_log'] as const;
  const rows = await Promise.all(tables.map((table) => connection.selectFrom(table).selectAll().execute()));
  assert.deepEqual(
    tables.filter((_, index) => rows[index]!.length === 0),
    [],
  );
  const list = await fetch(`${service.origin}/api/v2/renders`, { headers: bearer(key) });
  const { body: shown } = await visitor.call('GET /renders');
  for (const text of [rows, service.logLines(), await list.json(), shown].map((part) => JSON.stringify(part)))
    assert.ok(!/f0f0|X-Amz|kept to ourselves/.test(text));
});

test('an address that is not public, or not https, is refused at once', async () => {
  const { key } = await service.newKey();
  for (const address of [
    'http://example.com/',
    'https://127.0.0.1/a?signature=f0f0',
    'https://10.0.0.1/?signature=f0f0',
    'https://[fd00::1]/?signature=f0f0',
    'https://0x7f000001/?signature=f0f0',
    'https://localhost/?signature=f0f0',
    'https://user:f0f0@example.com/',
    'https://put.private.test/?signature=f0f0',
    'https://put.mixed.test/?signature=f0f0',
    'ftp://example.com/?signature=f0f0',
  ])
    for (const [field, body] of [
      ['put_url', { html, put_url: address }],
      ['outputs[1].put_url', { html, outputs: [{}, { format: 'text', put_url: address }], response: 'json' }],
    ] as const) {
      const answer = await render(key, body);
      const { error } = (await answer.json()) as Refusal;
      assert.deepEqual([answer.status, error.code, error.field], [422, 'validation_error', field], address);
      assert.ok(error.message.startsWith(`${field}: `) && !error.message.includes('f0f0'), error.message);
    }
  const list = await fetch(`${service.origin}/api/v2/renders`, { headers: bearer(key) });
  assert.deepEqual(((await list.json()) as { items: Render[] }).items, [], 'nothing was rendered');
});

test('an earlier result is sent to where each request says, and only that is said of it', async () => {
  const { key } = await service.newKey();
  receiver.answer(
    ({ path }, response) => void response.writeHead(path.startsWith('/full') ? 507 : 200).end(),
  );
  const ask = async (put_url: string | undefined, more: object = {}) => {
    const answer = await render(key, { html: `${html}<p>cached`, max_age: 3600, put_url, ...more });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const { headers } = answer;
    return {
      bytes,
      said: [answer.status, headers.get('x-service-cache'), headers.get('x-service-warnings')],
    };
  };
  const made = await ask(`${receiver.base}/full?first`);
  assert.deepEqual(made.said, [200, 'miss', '1']);
  assert.deepEqual((await ask(undefined)).said, [200, 'hit', '0']);
  assert.deepEqual((await ask(`${receiver.base}/again`)).said, [200, 'hit', '0']);
  const sent = receiver.received.find(({ path }) => path === '/again');
  assert.deepEqual([sent?.method, sent?.headers['content-type']], ['PUT', 'image/png']);
  assert.deepEqual(sent?.body, made.bytes);
  assert.deepEqual((await ask(`${receiver.base}/full`)).said, [200, 'hit', '1']);
  const hosted = await ask(`${receiver.base}/full`, { response: 'json' });
  const { cached, warnings } = JSON.parse(hosted.bytes.toString()) as Render;
  assert.deepEqual(
    [cached, warnings.map(({ message }) => message)],
    [true, ['put_url: the file was sent, and the answer was 507']],
  );
  for (const address of ['https://10.0.0.1/', 'https://put.private.test/']) {
    const refused = await ask(address);
    assert.deepEqual([refused.said[0], refused.bytes.includes('"put_url: must be')], [422, true], address);
  }
});

test('a queued render: what does not arrive is in the message to its webhook_url; while a file is sent, nothing cancels it', async () => {
  const { key, accountId } = await service.newKey();
  const held: ServerResponse[] = [];
  receiver.answer(({ path }, response) => {
    if (path.startsWith('/held')) held.push(response);
    else response.end();
  });
  const outputs = [{ put_url: `${receiver.base}/held?token=f0f0f0f0` }];
  const webhook_url = `${receiver.base}/of-the-render`;
  const accepted = await render(key, { html, outputs, async: true, webhook_url });
  const { id, state } = (await accepted.json()) as Render;
  assert.deepEqual([accepted.status, state], [202, 'queued']);
  await waitFor('the file to arrive', () => held.length === 1);
  // The request log is written once a second.
  await service.clock.advance(1_000);
  const { connection } = service.database;
  const rows = await Promise.all(
    (['render_jobs', 'renders'] as const).map((table) => connection.selectFrom(table).selectAll().execute()),
  );
  assert.ok(rows.every((found) => found.length > 0) && !JSON.stringify(rows).includes('f0f0'));
  const deleted = await fetch(`${service.origin}/api/v2/renders/${id}`, {
    method: 'DELETE',
    headers: bearer(key),
  });
  assert.deepEqual([deleted.status, ((await deleted.json()) as Render).state], [200, 'running']);
  for (const response of held) response.writeHead(507).end();
  const message = await receiver.next(({ path }) => path === '/of-the-render');
  const { type, data } = JSON.parse(message.body.toString()) as { type: string; data: Render };
  assert.deepEqual([type, data.id, data.state, data.units], ['render.succeeded', id, 'succeeded', 1]);
  assert.deepEqual(
    data.warnings.map(({ message: text }) => text),
    ['outputs[0].put_url: the file was sent, and the answer was 507'],
  );
  const { used } = await service.database.tables.usage.read({
    accountId,
    unit: 'render',
    month: new Date(service.clock.now()).toISOString().slice(0, 7),
  });
  assert.equal(used, 1);
  const refused = await render(key, { html, async: true, put_url: 'https://put.private.test/' });
  assert.deepEqual([refused.status, ((await refused.json()) as Refusal).error.field], [422, 'put_url']);
});
