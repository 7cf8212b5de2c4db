// `tt` through the proxy of the environment: plain requests are handed to it, TLS goes through a tunnel.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { json, lacks, startFaultServer, type FaultServer } from './support.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

const run = promisify(execFile);
const upload = { id: 'up_1', url: 'http://x.test/i/a', filename: 'a.png', file_url: 'http://x.test/f/a' };

let server: FaultServer;
let line: CommandLine;
let proxy: Server;
let address: string;
/** What the proxy was asked for, with the credentials. */
const asked: string[] = [];

before(async () => {
  server = await startFaultServer();
  line = await createCommandLine({ url: server.origin, key: 'tt_key' });
  await writeFile(join(line.folder, 'a.png'), Buffer.alloc(200_000));
  proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
    const { 'proxy-authorization': _credentials, ...headers } = request.headers;
    const onward = httpRequest(request.url ?? '', { method: request.method ?? '', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  proxy.on('connect', (request, client: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    const [host = '', port] = (request.url ?? '').split(':');
    if (host === 'refused.test') {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const onward = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    onward.on('error', () => client.destroy());
    client.on('error', () => onward.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
after(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await line.remove();
  await server.stop();
});

async function send(environment: Record<string, string>) {
  asked.length = 0;
  server.play(json(201, upload));
  return line.tt(['upload', 'a.png'], { environment });
}

test('HTTP_PROXY gets the requests, with its own credentials, and the body arrives whole', async () => {
  const { code, stdout, stderr } = await send({ http_proxy: `http://me:se%20cret@${address}` });
  assert.deepEqual([code, stdout.toString()], [0, 'http://x.test/i/a\n'], stderr);
  const credentials = Buffer.from('me:se cret').toString('base64');
  assert.deepEqual(asked, [`POST ${server.origin}/api/v2/uploads Basic ${credentials}`]);
  assert.ok(server.seen[0]?.body.includes(Buffer.alloc(200_000)));
  assert.equal(server.seen[0]?.headers.authorization, 'Bearer tt_key');
});

test('NO_PROXY names what goes there directly', async () => {
  const port = new URL(server.origin).port;
  for (const [exempt, isDirect] of [
    ['*', true],
    ['example.com, 127.0.0.1', true],
    [`127.0.0.1:${port}`, true],
    ['127.0.0.1:1', false],
    ['0.0.1', true],
    ['7.0.0.1', false],
  ] as const) {
    const { code, stderr } = await send({ HTTP_PROXY: address, NO_PROXY: exempt });
    assert.equal(code, 0, stderr);
    assert.equal(asked.length, isDirect ? 0 : 1, exempt);
  }
});

test('a proxy that is no address is a wrong call', async () => {
  const { code, stderr } = await send({ HTTP_PROXY: 'socks5://127.0.0.1:9' });
  assert.equal(code, 2);
  assert.match(stderr, /HTTP_PROXY and HTTPS_PROXY must begin with http/);
});

test('HTTPS_PROXY makes a tunnel, in which the certificate of the service is checked', async (context) => {
  if (lacks('openssl', context, 'version')) return;
  const [keyFile, certificate] = [join(line.folder, 'key.pem'), join(line.folder, 'cert.pem')];
  const subject = ['-subj', '/CN=images.test', '-addext', 'subjectAltName=DNS:images.test'];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    keyFile,
    '-out',
    certificate,
    ...subject,
  ]);
  const service = createTlsServer(
    { key: await readFile(keyFile), cert: await readFile(certificate) },
    (request, response) => {
      request.resume();
      request.on('end', () => {
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end(JSON.stringify(upload));
      });
    },
  );
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  try {
    const { port } = service.address() as AddressInfo;
    const environment = { TINTYPE_URL: `https://images.test:${port}`, HTTPS_PROXY: `http://${address}` };
    const trusted = await send({ ...environment, NODE_EXTRA_CA_CERTS: certificate });
    assert.deepEqual([trusted.code, trusted.stdout.toString()], [0, 'http://x.test/i/a\n'], trusted.stderr);
    assert.deepEqual(asked, [`CONNECT images.test:${port}`]);
    asked.length = 0;
    const other = await line.tt(['login', '--url', environment.TINTYPE_URL], {
      input: 'tt_key',
      environment,
    });
    assert.equal(other.code, 8, other.stderr);
    assert.match(other.stderr, /certificate/);
    const refused = await line.tt(['login', '--url', 'https://refused.test'], {
      input: 'tt_key',
      environment,
    });
    assert.equal(refused.code, 8, refused.stderr);
    assert.match(refused.stderr, /the proxy 127\.0\.0\.1:\d+ answered 403/);
  } finally {
    service.closeAllConnections();
    service.close();
  }
});
