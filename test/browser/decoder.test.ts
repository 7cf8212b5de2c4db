// What code can reach that has taken over the decoder of a stranger's pictures: nothing of the service, and no address. The page is judged from
// outside, by what the kernel says of its process, and from inside, by what a script in the decoder's place can do.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { openBlob } from '#storage/blobs.ts';
import { callOf } from '#browser/page/in-page/call-of.ts';
import { wallAttempts } from '#browser/page/in-page/wall-attempts.ts';
import { picturesAtOnce } from '#browser/picture-job.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { browserUser } from '#browser/process/unprivileged.ts';
import { openDecoderPage, type DecoderPage } from '#browser/worker/decoder-page.ts';
import { launchBareChromium } from '#test/support/bare-chromium.ts';
import { startTestBrowser } from '#test/support/browser.ts';
import { png } from '#test/support/images.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { descendants, groupMembers, namespaceOf, statusOf, workers } from '#test/support/process-table.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { makePicture } from '#test/uploads/picture-kit.ts';

const never = new AbortController().signal;
let chromium: ChromiumProcess;
let page: DecoderPage;
/** Of the decoder. */
let pid = 0;
const renderers = (): number[] =>
  descendants(chromium.pid).flatMap((row) => (row.command.includes('--type=renderer') ? [row.pid] : []));

before(async () => {
  chromium = await launchBareChromium();
  const others = renderers();
  page = await openDecoderPage(chromium, never);
  pid = renderers().find((candidate) => !others.includes(candidate))!;
});
after(async () => {
  await page.dispose(never);
  await chromium.close();
});

test(
  'its process has neither the rights, nor the files, nor the network of the service',
  { skip: process.platform !== 'linux' && 'reads /proc' },
  () => {
    assert.ok(pid, 'the page has a process of its own');
    const status = statusOf(pid);
    // A filter of system calls: none opens a file, makes a connection or starts a program.
    assert.match(status, /^Seccomp:\t2$/m);
    assert.match(status, /^NoNewPrivs:\t1$/m);
    const uid = Number(/^Uid:\t(\d+)/m.exec(status)?.[1]);
    assert.equal(uid, browserUser()?.uid ?? process.getuid?.());
    for (const kind of ['user', 'pid', 'net'])
      assert.notEqual(namespaceOf(pid, kind), namespaceOf(process.pid, kind), kind);
    // Its network has no device but a loopback of its own, and no route.
    const devices = readFileSync(`/proc/${pid}/net/dev`, 'latin1').split('\n').slice(2).filter(Boolean);
    assert.deepEqual(
      devices.map((line) => line.trim().split(':')[0]),
      ['lo'],
    );
    assert.equal(readFileSync(`/proc/${pid}/net/route`, 'latin1').trim().split('\n').length, 1);
    // Only root may look: its root is the folder of a process that has ended, in which no name leads anywhere.
    if (process.getuid?.() !== 0) return;
    for (const path of ['etc/passwd', 'proc/self/environ', 'tmp'])
      assert.throws(() => statSync(`/proc/${pid}/root/${path}`), /ESRCH|ENOENT/, path);
  },
);

test('a script in its place reaches no address and no file, not even past the rules for its document', async () => {
  let packets = 0;
  const tcp = createServer((socket) => {
    packets += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  const udp = createSocket('udp4', () => (packets += 1));
  udp.bind(0, '127.0.0.1');
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
  const [tcpPort, udpPort] = [(tcp.address() as AddressInfo).port, udp.address().port];
  const tried = await page.evaluate(callOf(wallAttempts, tcpPort, udpPort), never);
  assert.equal(Object.values(tried as Record<string, string>).includes('answered'), false);
  const file = 'fetch("file:///proc/self/environ").then(() => "read", () => "refused")';
  assert.equal(await page.evaluate(file, never), 'refused');
  // What the network process of the browser would say for it.
  const { host, port } = page.door;
  const asked = request({ host, port, path: `http://127.0.0.1:${tcpPort}/` }).end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  assert.equal(answer.statusCode, 403);
  const tunnel = connect(port, host).end(`CONNECT 127.0.0.1:${tcpPort} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  const said: Buffer[] = [];
  tunnel.on('data', (chunk: Buffer) => said.push(chunk));
  await once(tunnel, 'close');
  assert.equal(Buffer.concat(said).toString('latin1').includes(' 200 '), false);
  assert.equal(packets, 0);
  tcp.close();
  udp.close();
});

test('the original is at an address that only the page knows, and what it sends is bounded', async () => {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'original');
  writeFileSync(path, 'secret');
  const { address, receive } = page.door.offer({ path, contentType: 'image/png' });
  const { host, port } = page.door;
  const ask = async (method: string, url: string, body = '') => {
    const asked = request({ host, port, method, path: url, headers: { 'content-length': body.length } });
    asked.end(body);
    const [answer] = await once(asked, 'response');
    return [answer.statusCode, (await answer.toArray()).join('')];
  };
  assert.deepEqual(await ask('GET', address), [200, 'secret']);
  assert.deepEqual(await ask('GET', `${address}x`), [403, '']);
  assert.deepEqual(await ask('PUT', address, 'unasked'), [403, '']);
  const received = receive(5);
  assert.deepEqual(await ask('PUT', address, 'too much'), [403, '']);
  assert.deepEqual(await ask('PUT', address, 'right'), [200, '']);
  assert.equal(String(await received), 'right');
  assert.deepEqual(await ask('PUT', address, 'twice'), [403, '']);
  page.door.offer({ path, contentType: 'image/png' });
  assert.deepEqual(await ask('GET', address), [403, ''], 'the job is over');
  await folder.remove();
});

test('an account keeps its page for its next picture, and no other account gets it', async () => {
  // Another file of this process may have a browser.
  const others = new Set(workers().map(({ pid: worker }) => worker));
  const own = () => workers().filter((row) => !others.has(row.pid));
  const kit = await startTestBrowser([], { concurrency: 1 });
  const bytes = await png(64, 64);
  const pages = (): Set<number> =>
    new Set(
      own()
        .flatMap(({ group }) => groupMembers(group))
        .flatMap((row) => (row.command.includes('--type=renderer') ? [row.pid] : [])),
    );
  const stock = pages();
  await makePicture(kit, bytes, { account: 'one' });
  const [first] = [...pages()].filter((candidate) => !stock.has(candidate));
  assert.ok(first);
  await makePicture(kit, bytes, { account: 'one' });
  assert.ok(pages().has(first));
  // As many at once as there are places, so that one of them gets that worker.
  const accounts = ['two', 'three', 'four'];
  const all = Promise.withResolvers<void>();
  let opened = 0;
  const open = async () => {
    opened += 1;
    if (opened === accounts.length) all.resolve();
    await all.promise;
    return openBlob(Readable.from([bytes]));
  };
  await Promise.all(accounts.map((account) => makePicture(kit, bytes, { account, original: { open } })));
  assert.equal(own().length, accounts.length);
  assert.equal(pages().has(first), false);
  await kit.close();
});

test('pictures do not wait for renders, nor renders for pictures, though every place is taken', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const site = await startPageServer({
    '/plain': '<!doctype html><p>plain',
    '/slow': (_, response) => {
      asked.resolve();
      void answer.promise.then(() => response.end('<!doctype html><p>slow'));
    },
  });
  const kit = await startTestBrowser([site.host], { concurrency: 1 });
  const bytes = await png(64, 64);
  const slow = kit.shoot(`${site.base}/slow`, { account: 'a render' });
  await asked.promise;
  await Promise.all(['one', 'two'].map((account) => makePicture(kit, bytes, { account })));
  answer.resolve();
  await slow;

  const held = Promise.withResolvers<void>();
  const both = Promise.withResolvers<void>();
  let opened = 0;
  const open = async () => {
    opened += 1;
    if (opened === picturesAtOnce) both.resolve();
    await held.promise;
    return openBlob(Readable.from([bytes]));
  };
  const pictures = ['one', 'two'].map((account) => makePicture(kit, bytes, { account, original: { open } }));
  await both.promise;
  await kit.shoot(`${site.base}/plain`, { account: 'another render' });
  held.resolve();
  await Promise.all(pictures);
  await kit.close();
  await site.close();
});
