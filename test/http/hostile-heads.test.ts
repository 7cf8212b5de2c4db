// Request heads that cost the sender little and must cost the service little. Measured by the CPU time of the whole exchange in
// this process, not by the clock: the machine may be busy.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rawBytes, rawRequest } from '#test/support/raw-request.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('a request line of 60 KB with an unknown method is refused at once', async () => {
  const spent = await cpuMs(async () => {
    const { status, headers } = await rawBytes(service.origin, `FOO /${'a'.repeat(60_000)}`);
    assert.equal(status, 400);
    assert.equal(headers['connection'], 'close');
  });
  assert.ok(spent < 3_000, `${spent} ms of processor time`);
});

test('a request line is read up to its version, whatever its method', async () => {
  const ask = async (line: string) => (await rawBytes(service.origin, `${line}\r\nHost: x\r\n\r\n`)).status;
  assert.equal(await ask('FOO /api/v1/upload HTTP/1.1'), 405);
  assert.equal(await ask('FOO /api/v1/upload?a=b%20c HTTP/1.0'), 405);
  assert.equal(await ask('FOO /api/v2/uploads/some HTTP/1.1'), 405);
  assert.equal(await ask('FOO /nowhere HTTP/1.1'), 404);
  assert.equal(await ask('FOO /api/v1/upload  HTTP/1.1'), 400);
  assert.equal(await ask('FOO /api/v1/upload HTTP/3'), 400);
  assert.equal(await ask('FOO nowhere HTTP/1.1'), 400);
});

test('an Accept-Encoding of 15 KB of spaces is read in linear time', async () => {
  const spent = await cpuMs(async () => {
    for (let round = 0; round < 20; round += 1) {
      const value = `a${' '.repeat(15_000)}b, gzip;q=0`;
      const { status } = await rawRequest(service.origin, 'GET', '/openapi.json', {
        'accept-encoding': value,
      });
      assert.equal(status, 200);
    }
  });
  assert.ok(spent < 3_000, `${spent} ms of processor time`);
});

test('Accept-Encoding is read with spaces and weights as clients write them', async () => {
  const encodingFor = async (value: string) =>
    (await rawRequest(service.origin, 'GET', '/openapi.json', { 'accept-encoding': value })).headers[
      'content-encoding'
    ];
  assert.equal(await encodingFor('gzip , br ; q=0.5'), 'br');
  assert.equal(await encodingFor('br;q=0, gzip ;q=1.0'), 'gzip');
  assert.equal(await encodingFor('gzip; q=0.000'), undefined);
});
