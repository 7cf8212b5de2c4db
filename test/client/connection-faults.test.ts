// Faults of a connection that trying again cannot heal: they fail at once, with advice.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Tintype, UnavailableError } from '#client/index.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { createFakeClock, setUpClient } from './support.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

const set = setUpClient();
const authority = createAuthority();
const secure = createServer(authority.issue('localhost', '127.0.0.1'), (_request, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[],"next_cursor":null}'),
);
let port: number;
let line: CommandLine;

before(async () => {
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  ({ port } = secure.address() as AddressInfo);
  line = await createCommandLine({ url: `https://127.0.0.1:${port}`, key: 'tt_x' });
});
after(async () => {
  secure.closeAllConnections();
  secure.close();
  await line.remove();
});

const cases: { title: string; address: () => string; says: RegExp }[] = [
  {
    title: 'a private authority',
    address: () => `https://127.0.0.1:${port}`,
    says: /not from an authority that this machine trusts .*NODE_EXTRA_CA_CERTS/,
  },
  {
    title: 'https to a port that speaks http',
    address: () => set.server.origin.replace('http:', 'https:'),
    says: /does not answer with TLS; does the service speak http:\/\/ there\?/,
  },
  {
    title: 'a port that fetch refuses',
    address: () => 'http://127.0.0.1:1',
    says: /fetch refuses this port/,
  },
];

for (const { title, address, says } of cases) {
  test(`${title} fails at once, with advice`, async () => {
    const clock = createFakeClock();
    const client = new Tintype({ baseUrl: address(), apiKey: 'tt_x', clock });
    await assert.rejects(client.getUsage(), (error: unknown) => {
      assert.ok(error instanceof UnavailableError);
      assert.deepEqual([error.code, error.attempts, error.isRetryable], ['connection_failed', 1, false]);
      assert.match(error.message, says);
      return true;
    });
    assert.deepEqual(clock.waits, []);
  });
}

test('http to a port that speaks https looks like a restart: it is tried again, with a hint', async () => {
  const client = new Tintype({
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: 'tt_x',
    clock: createFakeClock(),
  });
  await assert.rejects(client.getUsage({ maxRetries: 1 }), {
    attempts: 2,
    message: /does the service speak https:\/\/ there\?/,
  });
});

test('tt points to --cacert, which makes it trust the authority', async () => {
  const refused = await line.tt(['list']);
  assert.equal(refused.code, 8);
  assert.match(refused.stderr, /or name that file with --cacert/);
  await writeFile(join(line.folder, 'authority.pem'), authority.cert);
  const trusted = await line.tt(['list', '--cacert', 'authority.pem']);
  assert.deepEqual([trusted.code, trusted.stderr], [0, '']);
});
