// A renewed certificate is used without a restart, and a half-written one is not.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { renewCertificate } from '#http/connection/renewed-certificate.ts';
import { readConfig } from '#roof/config.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { temporaryFolder } from '#test/support/processes.ts';

test('a renewed certificate is used from the next connection on, once certificate and key fit', async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const [certFile, keyFile] = [join(path, 'cert.pem'), join(path, 'key.pem')];
  const authority = createAuthority();
  const [first, second] = [authority.issue('first.test'), authority.issue('second.test')];
  await writeFile(certFile, first.cert);
  await writeFile(keyFile, first.key);
  const { tls } = readConfig({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
  assert.ok(tls);
  const server = createServer(tls).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await once(server, 'listening');
  const { run } = renewCertificate(server, tls, pino({ level: 'silent' }));

  async function shown(): Promise<string | undefined> {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const name = socket.getPeerCertificate().subject.CN;
    socket.destroy();
    return Array.isArray(name) ? name[0] : name;
  }

  await run();
  assert.equal(await shown(), 'first.test');
  await writeFile(certFile, second.cert);
  await assert.rejects(async () => run(), /key values mismatch/);
  assert.equal(await shown(), 'first.test', 'the new certificate with the old key is not used');
  await writeFile(keyFile, second.key);
  await run();
  assert.equal(await shown(), 'second.test');
});
