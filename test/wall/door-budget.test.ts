// The budget of one render: above it new work is refused and streams are cut. Another door is not affected.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { DoorLimits } from '#wall/ways-out.ts';
import { connectTo, fetchThrough, open, startProxy, startTwins } from './door-kit.ts';

const exhausted = /^HTTP\/1\.1 503 Service Unavailable\r\nx-tintype-egress: exhausted\r\n/;

/** Two doors of one proxy, and a server that echoes a body or sends the number of bytes in its path. */
async function stage(context: TestContext, limits: Partial<DoorLimits>) {
  const { port } = await startTwins(context, () =>
    createServer((incoming, response) => {
      if (incoming.method === 'POST') incoming.pipe(response);
      else response.end(Buffer.alloc(Number(incoming.url!.slice(1))));
    }),
  );
  const proxy = startProxy(context, { limits });
  return {
    door: await proxy.openDoor(),
    otherDoor: await proxy.openDoor(),
    url: `http://${open}:${port}`,
    port,
  };
}

test('bytes: a download is cut, new work is refused, another door continues', async (context) => {
  const { door, otherDoor, url } = await stage(context, { bytes: 1_000_000 });
  assert.equal((await fetchThrough(door, `${url}/500000`)).body.length, 500_000);
  const client = await connectTo(door);
  client.write(`GET ${url}/5000000 HTTP/1.1\r\nHost: a\r\n\r\n`);
  const { length } = await client.untilClosed();
  assert.ok(length < 700_000, `${length}`);
  const refused = await fetchThrough(door, `${url}/1`);
  assert.deepEqual([refused.status, refused.headers['x-tintype-egress']], [503, 'exhausted']);
  assert.equal((await fetchThrough(otherDoor, `${url}/500000`)).status, 200);
});

test('bytes: uploads count too', async (context) => {
  const { door, otherDoor, url } = await stage(context, { bytes: 1_000_000 });
  const upload = (through: typeof door, length: number) =>
    fetchThrough(through, `${url}/`, { method: 'POST', body: Buffer.alloc(length) });
  assert.equal((await upload(door, 100_000)).body.length, 100_000);
  await assert.rejects(upload(door, 5_000_000));
  assert.equal((await upload(otherDoor, 100_000)).status, 200);
});

test('bytes: tunnels are counted in both directions and cut', async (context) => {
  const { port } = await startTwins(context, () => createTcpServer((socket) => socket.pipe(socket)));
  const door = await startProxy(context, { limits: { bytes: 100_000 } }).openDoor();
  const client = await connectTo(door);
  client.write(`CONNECT ${open}:${port} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await client.until(/200 OK\r\n\r\n/);
  for (let round = 0; round < 2; round += 1) {
    client.write('x'.repeat(20_000));
    await client.until(/^x{20000}$/);
  }
  client.write('x'.repeat(20_000));
  await client.untilClosed();
});

test('requests: the next one is refused, open ones continue', async (context) => {
  const { door, otherDoor, url, port } = await stage(context, { requests: 3 });
  const client = await connectTo(door);
  client.write(`CONNECT ${open}:${port} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await client.until(/200 OK\r\n\r\n/);
  for (const path of ['/1', '/2']) assert.equal((await fetchThrough(door, url + path)).status, 200);
  assert.equal((await fetchThrough(door, `${url}/1`)).status, 503);
  const late = await connectTo(door);
  late.write(`CONNECT ${open}:${port} HTTP/1.1\r\nHost: a\r\n\r\n`);
  assert.match(await late.untilClosed(), exhausted);
  assert.deepEqual([door.overdrawn.aborted, otherDoor.overdrawn.aborted], [true, false]);
  client.write('GET /5 HTTP/1.1\r\nHost: a\r\n\r\n');
  await client.until(/200 OK/);
  assert.equal((await fetchThrough(otherDoor, `${url}/1`)).status, 200);
});

test('requests inside a tunnel, as the browser reports them: above the budget the tunnel is cut', async (context) => {
  const { door, otherDoor, port, url } = await stage(context, { requests: 3 });
  const client = await connectTo(door);
  client.write(`CONNECT ${open}:${port} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await client.until(/200 OK\r\n\r\n/);
  for (let count = 0; count < 2; count += 1) door.countAnswer(`https://${open}:${port}/`);
  door.countAnswer(`http://${open}:${port}/`);
  client.write('GET /5 HTTP/1.1\r\nHost: a\r\n\r\n');
  await client.until(/200 OK/);
  door.countAnswer(`https://${open}:${port}/`);
  await client.untilClosed();
  assert.equal((await fetchThrough(door, `${url}/1`)).status, 503);
  assert.equal((await fetchThrough(otherDoor, `${url}/1`)).status, 200);
});

test('connections: those above the concurrent limit and above the total are closed', async (context) => {
  const { door, otherDoor, url } = await stage(context, { connectionsAtOnce: 2, connections: 5 });
  const [first, second] = [await connectTo(door), await connectTo(door)];
  assert.equal(await (await connectTo(door)).untilClosed(), '');
  for (const client of [first, second]) {
    client.write(`GET ${url}/1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await client.until(/200 OK/);
    client.socket.end();
    await client.untilClosed();
  }
  for (let round = 0; round < 2; round += 1) assert.equal((await fetchThrough(door, `${url}/1`)).status, 200);
  await assert.rejects(fetchThrough(door, `${url}/1`));
  assert.equal((await fetchThrough(otherDoor, `${url}/1`)).status, 200);
});
