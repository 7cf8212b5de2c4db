// What a door refuses. Each case also tries an allowed server, which proves that the attempt was real: the closed server sees
// nothing.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { test } from 'node:test';
import { dial } from '#wall/dial.ts';
import type { Door } from '#wall/door.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { connectTo, fetchThrough, open, rawServer, shut, startProxy, startTwins, talk } from './door-kit.ts';

const ok = () => createServer((_incoming, response) => response.end('ok'));

/** The ways through a door; each returns the head of the response. */
const ways: Record<string, (door: Door, authority: string) => Promise<string>> = {
  plain: (door, authority) =>
    talk(door, `GET http://${authority}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
  'plain POST': (door, authority) =>
    talk(
      door,
      `POST http://${authority}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi`,
    ),
  connect: (door, authority) =>
    talk(
      door,
      `CONNECT ${authority} HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ),
  upgrade: (door, authority) =>
    talk(
      door,
      `GET http://${authority}/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    ),
};

/** Spellings of the open address, each with the same spelling of the closed one. */
const spellings: [string, string][] = [
  [open, shut],
  ['2130706434', '2130706435'],
  ['0x7f000002', '0x7f000003'],
  ['0177.0.0.2', '0177.0.0.3'],
  ['127.2', '127.3'],
  ['127.0.0.2.', '127.0.0.3.'],
  ['[::ffff:127.0.0.2]', '[::ffff:127.0.0.3]'],
  ['[::ffff:7f00:2]', '[::ffff:7f00:3]'],
  ['%31%32%37.0.0.2', '%31%32%37.0.0.3'],
  ['open.test', 'shut.test'],
  ['OPEN.test.', 'SHUT.test.'],
  ['open.test', 'mixed.test'],
  ['listed.internal', 'unlisted.internal'],
  ['listed.internal', 'localhost'],
];

const records: Record<string, string[]> = {
  'open.test': [open],
  'shut.test': [shut],
  'mixed.test': [open, shut],
  'two.test': ['127.0.0.4', open],
  'listed.internal': [open],
  'unlisted.internal': [shut],
  localhost: [open],
};
const lookup = async (name: string) => {
  if (!(name in records)) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  return records[name]!.map((address) => ({ address }));
};

for (const [way, go] of Object.entries(ways)) {
  test(`${way}: a shut host is denied in every spelling, its open twin is reached`, async (context) => {
    const twins = await startTwins(context, ok);
    const proxy = startProxy(context, { allow: `${open},listed.internal`, lookup });
    for (const [openHost, shutHost] of spellings) {
      const door = await proxy.openDoor();
      assert.match(await go(door, `${openHost}:${twins.port}`), /ok$/, openHost);
      const answer = await go(door, `${shutHost}:${twins.port}`);
      assert.match(answer, /^HTTP\/1\.1 403 Forbidden\r\nx-tintype-egress: denied\r\n/, shutHost);
      assert.equal(door.refusalOf(`http://${shutHost}:${twins.port}/x`)?.kind, 'denied');
      assert.equal(door.refusalOf(`http://${openHost}:${twins.port}/x`), undefined);
    }
    assert.equal(twins.hits.shut, 0);
    assert.equal(twins.hits.open, spellings.length);
  });
}

test('an exception with a port opens only that port', async (context) => {
  const [one, other] = [await startTwins(context, ok), await startTwins(context, ok)];
  const door = await startProxy(context, { allow: `${open}:${one.port}` }).openDoor();
  assert.equal((await fetchThrough(door, `http://${open}:${one.port}/`)).status, 200);
  assert.equal((await fetchThrough(door, `http://${open}:${other.port}/`)).status, 403);
  assert.equal(other.hits.open, 0);
});

test('rebinding: a name keeps the address that was checked for the life of a door, and is asked once', async (context) => {
  const twins = await startTwins(context, ok);
  const answers = [open, shut];
  let asked = 0;
  const proxy = startProxy(context, {
    lookup: async () => [{ address: answers[asked++] ?? shut }],
  });
  const door = await proxy.openDoor();
  for (const way of ['plain', 'connect', 'plain', 'plain POST'])
    assert.match(await ways[way]!(door, `rebind.test:${twins.port}`), /ok$/);
  assert.equal(asked, 1);
  assert.deepEqual(twins.hits, { open: 4, shut: 0 });

  const next = await proxy.openDoor();
  assert.match(await ways['plain']!(next, `rebind.test:${twins.port}`), /^HTTP\/1\.1 403 /);
  assert.equal(twins.hits.shut, 0);
});

test('a name that does not resolve is 502, with another reason than a host that does not answer', async (context) => {
  const twins = await startTwins(context, ok);
  const door = await startProxy(context, { lookup }).openDoor();
  const closed = await startTwins(context, () => createTcpServer((socket) => socket.destroy()));
  for (const go of [ways['plain']!, ways['connect']!]) {
    const unresolved = await go(door, 'nowhere.test:80');
    assert.match(unresolved, /^HTTP\/1\.1 502 Bad Gateway\r\nx-tintype-egress: unresolved\r\n/);
    assert.match(
      await go(door, `${open}:1`),
      /^HTTP\/1\.1 502 Bad Gateway\r\nx-tintype-egress: unreachable\r\n/,
    );
  }
  assert.match(await ways['plain']!(door, `${open}:${closed.port}`), /^HTTP\/1\.1 502 [^]*unreachable/);
  assert.match(await ways['plain']!(door, `open.test:${twins.port}`), /ok$/);
  const hosts = ['nowhere.test:80', `${open}:1`, `${open}:${closed.port}`, `open.test:${twins.port}`];
  assert.deepEqual(
    hosts.map((host) => door.refusalOf(`http://${host}/`)?.kind),
    ['unresolved', 'unreachable', 'unreachable', undefined],
  );
  assert.match(door.refusalOf('http://nowhere.test/')!.reason, /ENOTFOUND/);
});

test('an invalid response is 502 at once', async (context) => {
  const answers = [
    '',
    'SSH-2.0-OpenSSH_9.9\r\n',
    'HTTP/1.1',
    'HTTP/1.1 200 OK\r\nContent-Le',
    'HTTP/1.1 999999 No\r\n\r\n',
    'HTTP/1.1 000 No\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
    '\u0000\u0000\u0012\u0004\u0000',
  ];
  const door = await startProxy(context).openDoor();
  for (const bytes of answers) {
    const { port } = await startTwins(context, rawServer(bytes));
    assert.match(await ways['plain']!(door, `${open}:${port}`), /^HTTP\/1\.1 502 [^]*unreachable/, bytes);
    assert.equal(door.refusalOf(`http://${open}:${port}/`)?.kind, 'unreachable');
  }
});

test('a server that finally answers is no longer reported as unreachable', async (context) => {
  let isReady = false;
  const twins = await startTwins(context, () =>
    createTcpServer((socket) =>
      socket.once('data', () =>
        isReady ? socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok') : socket.resetAndDestroy(),
      ),
    ),
  );
  const door = await startProxy(context).openDoor();
  const url = `http://${open}:${twins.port}/`;
  assert.equal((await fetchThrough(door, url)).status, 502);
  assert.equal(door.refusalOf(url)?.kind, 'unreachable');
  isReady = true;
  assert.equal((await fetchThrough(door, url)).status, 200);
  assert.equal(door.refusalOf(url), undefined);
});

test('the addresses of a name are tried in turn, and a name is never dialled', async (context) => {
  const twins = await startTwins(context, ok);
  const door = await startProxy(context, { allow: `127.0.0.4,${open}`, lookup }).openDoor();
  assert.match(await ways['plain']!(door, `two.test:${twins.port}`), /ok$/);
  const unused = { port: twins.port, timeoutMs: 1_000, isDone: () => false, track: () => {} };
  await assert.rejects(dial({ ...unused, addresses: ['localhost'] }), /no address/);
  await assert.rejects(dial({ ...unused, addresses: [open], isDone: () => true }), /no address/);
});

test('doors are never targets, even where an exception opens all of loopback', async (context) => {
  const names: Record<string, string> = { 'twin.test': '127.0.0.1' };
  const proxy = startProxy(context, {
    allow: '127.0.0.0/8,0.0.0.0,self.test,twin.test',
    lookup: async (name) => [{ address: names[name]! }],
  });
  const [here, there] = [await proxy.openDoor(), await proxy.openDoor()];
  names['self.test'] = here.host;
  // As in another worker. Only Linux has an address for doors that nothing else uses.
  const elsewhere = process.platform === 'linux' ? [await startProxy(context).openDoor()] : [];
  const twin = createServer((_incoming, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(twin, 'listening');
  context.after(() => twin.close());
  const { port } = twin.address() as { port: number };
  const number = here.host.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
  for (const go of [ways['plain']!, ways['connect']!]) {
    for (const host of ['127.0.0.1', '0.0.0.0', '[::ffff:127.0.0.1]', '2130706433', 'twin.test'])
      assert.match(await go(here, `${host}:${port}`), /ok$/);
    for (const host of [here.host, `[::ffff:${here.host}]`, String(number), 'self.test'])
      for (const target of [here, there, ...elsewhere])
        assert.match(await go(here, `${host}:${target.port}`), /^HTTP\/1\.1 403 /);
  }
});

test('anything but a request to a proxy is 400, and the door continues', async (context) => {
  const twins = await startTwins(context, ok);
  const door = await startProxy(context).openDoor();
  const at = `${open}:${twins.port}`;
  const lines = [
    'GET / HTTP/1.1',
    'GET //a/ HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    `GET https://${at}/ HTTP/1.1`,
    `GET ftp://${at}/ HTTP/1.1`,
    `GET ws://${at}/ HTTP/1.1`,
    `GET ${at}/ HTTP/1.1`,
    'GET http:///a HTTP/1.1',
    'GET http://?a HTTP/1.1',
    `GET http://user@${at}/ HTTP/1.1`,
    `GET http://${at}\\@a/ HTTP/1.1`,
    `GET http://${open}:0/ HTTP/1.1`,
    `GET http://${open}:99999/ HTTP/1.1`,
    `GET http://${open}:x/ HTTP/1.1`,
    `GET http://[::1/ HTTP/1.1`,
    `GET http://[::1%25lo]:${twins.port}/ HTTP/1.1`,
    `GET http://a..b/ HTTP/1.1`,
    `GET http://${at}/#a HTTP/1.1`,
    `CONNECT ${open} HTTP/1.1`,
    `CONNECT ${open}: HTTP/1.1`,
    `CONNECT ${open}:0 HTTP/1.1`,
    `CONNECT ${open}:65536 HTTP/1.1`,
    `CONNECT ${at}/x HTTP/1.1`,
    `CONNECT http://${at} HTTP/1.1`,
    `CONNECT user@${at} HTTP/1.1`,
    'CONNECT / HTTP/1.1',
    'CONNECT :80 HTTP/1.1',
    'CONNECT [::1:80 HTTP/1.1',
    'CONNECT 1.2.3.4.5:80 HTTP/1.1',
    `NONSENSE http://${at}/ HTTP/1.1`,
    `GET http://${at}/ HTTP/9.9`,
    `GET http://${at}/ HTTP/1.1\r\nContent-Length: x`,
    `GET http://${at}/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked`,
    `GET http://${at}/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2`,
    `GET http://${at}/ HTTP/1.1\r\nTransfer-Encoding: chunked, identity`,
    `GET http://${at}/ HTTP/1.1\r\nBad Header: x`,
    `GET http://${at}/ HTTP/1.1\r\n: x`,
    'GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket',
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
  ];
  for (const line of lines) {
    assert.match(
      await talk(door, `${line}\r\nHost: a\r\nConnection: close\r\n\r\n`),
      /^HTTP\/1\.1 400 /,
      line,
    );
  }
  for (let round = 0; round < 200; round += 1) {
    const client = await connectTo(door);
    client.socket.end(randomBytes(round * 7));
    await client.untilClosed();
  }
  assert.deepEqual(twins.hits, { open: 0, shut: 0 });
  assert.equal((await fetchThrough(door, `http://${at}/`)).body, 'ok');
});

test('a page of slow names takes 32 look-ups at a time, which end with the door, and none after it', async (context) => {
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  let calledOff = 0;
  const twins = await startTwins(context, ok);
  const door = await startProxy(context, {
    lookup: (name, { signal }) => {
      asked.push(name);
      signal.addEventListener('abort', () => (calledOff += 1));
      return new Promise((_resolve, reject) => waiting.push(() => reject(new Error('slow'))));
    },
  }).openDoor();
  const clients = await Promise.all(
    Array.from({ length: 40 }, async (_unused, index) => {
      const client = await connectTo(door);
      client.write(`CONNECT slow-${index}.test:80 HTTP/1.1\r\nHost: a\r\n\r\n`);
      return client;
    }),
  );
  // This one arrives after all of them.
  assert.equal((await fetchThrough(door, `http://${open}:${twins.port}/`)).body, 'ok');
  assert.equal(asked.length, 32);
  waiting.shift()!();
  await Promise.race(clients.map((client) => client.until(/502/)));
  assert.equal(asked.length, 33);
  assert.equal(calledOff, 1);
  await door.close();
  await Promise.all(clients.map((client) => client.untilClosed()));
  assert.deepEqual([asked.length, calledOff], [33, 33]);
});

test('abrupt endings on either side, at any moment, leave nothing behind and crash nothing', async (context) => {
  const twins = await startTwins(context, () =>
    createTcpServer((socket) =>
      socket.on('data', (data) => {
        const choice = data.length % 7;
        if (choice === 0) socket.resetAndDestroy();
        else if (choice === 1) socket.end();
        else if (choice === 2) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nshort');
        else if (choice === 3) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort');
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nshort');
      }),
    ),
  );
  const door = await startProxy(context).openDoor();
  const heads = [
    'GET http://{}/ HTTP/1.1',
    'POST http://{}/ HTTP/1.1\r\nContent-Length: 50000',
    'CONNECT {} HTTP/1.1',
  ];
  for (let round = 0; round < 40; round += 1) {
    const clients = await Promise.all(Array.from({ length: 10 }, () => connectTo(door)));
    for (const [index, client] of clients.entries()) {
      const seed = round * clients.length + index;
      const head = heads[seed % heads.length]!.replace('{}', `${open}:${twins.port}`);
      const lines = `${head}\r\nHost: a\r\nX-Pad: ${'p'.repeat(seed % 7)}\r\n\r\n`;
      client.write(seed % 5 === 0 ? lines + lines : lines);
      client.write('b'.repeat(seed % 11));
      // Turns of the event loop instead of time: each client disconnects at another stage of its request.
      for (let turn = 0; turn < seed % 6; turn += 1) await new Promise(setImmediate);
      if (seed % 2 === 0) client.socket.resetAndDestroy();
      else client.socket.destroy();
    }
    await Promise.all(clients.map((client) => client.untilClosed()));
  }
  // Some may only arrive now, of clients that have left before.
  await waitFor('every connection to be closed', () => twins.sockets.size === 0);
});

test('a connection made for a browser that has disconnected meanwhile is closed', async (context) => {
  for (const head of ['GET http://{}/ HTTP/1.1', 'CONNECT {} HTTP/1.1']) {
    const isAsked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<{ address: string }[]>();
    const cameAndWent = Promise.withResolvers<void>();
    const twins = await startTwins(context, () =>
      createTcpServer((socket) => socket.resume().on('close', () => cameAndWent.resolve())),
    );
    const door = await startProxy(context, {
      lookup: () => {
        isAsked.resolve();
        return answer.promise;
      },
    }).openDoor();
    const client = await connectTo(door);
    client.write(`${head.replace('{}', `late.test:${twins.port}`)}\r\nHost: a\r\n\r\n`);
    await isAsked.promise;
    client.socket.destroy();
    await client.untilClosed();
    await new Promise(setImmediate);
    answer.resolve([{ address: open }]);
    await cameAndWent.promise;
    assert.deepEqual(twins.hits, { open: 1, shut: 0 });
    assert.equal(door.refusalOf(`http://late.test:${twins.port}/`), undefined);
  }
});

test('closing a door ends everything behind it at once, and nothing behind another', async (context) => {
  const twins = await startTwins(context, () => createTcpServer((socket) => socket.write('welcome')));
  const proxy = startProxy(context);
  const [one, other] = [await proxy.openDoor(), await proxy.openDoor()];
  const tunnel = async (door: Door) => {
    const client = await connectTo(door);
    client.write(`CONNECT ${open}:${twins.port} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await client.until(/welcome/);
    return client;
  };
  const [first, second, kept] = [await tunnel(one), await tunnel(one), await tunnel(other)];
  const idle = await connectTo(one);
  const serverSides = [...twins.sockets].slice(0, 2).map((socket) => once(socket, 'close'));
  await one.close();
  await Promise.all([first, second, idle].map((client) => client.untilClosed()));
  await Promise.all(serverSides);
  assert.equal(twins.sockets.size, 1);
  const late = connect(one.port, one.host);
  const [error] = await once(late, 'error');
  assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');

  const echoed = once([...twins.sockets][0]!, 'data');
  kept.write('still here');
  assert.equal(String((await echoed)[0]), 'still here');
  await one.close();
});
