// The service that recorded exchanges are played against: a real one with a real browser, at a fixed time, with its own plans and
// a site whose pages load, redirect, fail and end in every way that an answer tells.
import { startDnsServer } from '#test/support/dns-server.ts';
import { startPageServer, type Route } from '#test/support/page-server.ts';
import { createTestClock, startService } from '#test/support/service.ts';
import { plansFile } from '#test/support/exchanges/exchange.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Where nobody listens. */
const closedHost = '127.0.0.9:21999';

const pages: Record<string, Route> = {
  '/': '<!doctype html><title>Hello</title><body style="background:#fc0;height:1800px"><h1>Hello</h1>',
  '/a4': '<!doctype html><style>@page { size: A4 landscape }</style><h1>Hello</h1>',
  '/missing': (_request, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html><h1>404</h1>'),
  '/nothing': (_request, response) => response.writeHead(204).end(),
  '/file': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' })
      .end('PK'),
  '/hang-up': (request) => request.socket.destroy(),
  '/to-private': (_request, response) =>
    response.writeHead(302, { location: 'http://127.0.0.2:21999/' }).end(),
  '/to-itself': (_request, response) => response.writeHead(302, { location: '/to-itself' }).end(),
};

/** Elsewhere than in the stores of the run if the environment names a database. */
export async function openStage(environment: Record<string, string> = {}) {
  const site = await startPageServer(pages);
  const dns = await startDnsServer(() => undefined);
  const clock = createTestClock(Date.parse('2026-05-04T12:00:00.000Z'));
  let isBroken = false;
  const service = await startService(
    {
      EGRESS_ALLOW: `${site.host},${closedHost}`,
      PLANS_FILE: plansFile,
      ...environment,
    },
    0,
    [dns.address],
    {
      clock,
      wrapDatabase: (database) => ({
        ...database,
        // The time stands still, and a server's estimated clock would not.
        aheadMs: () => 0,
        transaction(work, options) {
          // Chores and slots use relaxed transactions.
          if (isBroken && options === undefined) throw new Error('the disk is full');
          return database.transaction(work, options);
        },
        transactionOf(_accountId, work, options) {
          return this.transaction(work, options);
        },
      }),
    },
  );
  return {
    service,
    clock,
    site,
    closedHost,
    setBroken(value: boolean): void {
      isBroken = value;
    },
    async close(): Promise<void> {
      await service.stop();
      dns.close();
      await site.close();
    },
  };
}
