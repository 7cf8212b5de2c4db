// The service that recorded exchanges are played against: a real one with a real browser, at a fixed time, with its own plans, a site whose
// pages load, redirect, fail and end in every way that an answer tells, and a receiver of what the service sends by itself.
import { startDnsServer } from '#test/support/dns-server.ts';
import { startPageServer, type Route } from '#test/support/page-server.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { createTestClock } from '#test/support/clock.ts';
import { openLateBrowser } from '#test/support/late-browser.ts';
import { startService } from '#test/support/service.ts';
import { contentOf } from '#test/support/exchanges/contents.ts';
import { plansFileOf, type Version } from '#test/support/exchanges/exchange.ts';

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
  '/picture.png': (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(contentOf('<png>')),
  '/text': (_request, response) => response.end('text'),
  '/busy': (_request, response) => response.writeHead(503).end(),
  '/article':
    '<!doctype html><html lang="en"><title>Article</title><meta name="description" content="About it">' +
    '<link rel="canonical" href="https://example.com/article"><meta property="og:site_name" content="Example">' +
    '<nav>Menu</nav><main><article><h1>Article</h1><p>First words. <a href="/">Home</a></p></article></main>',
  '/who': (request, response) =>
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(
        `<!doctype html><p>${['x-visitor', 'cookie', 'authorization', 'accept-language']
          .map((name) => `${name}: ${String(request.headers[name] ?? 'none')}`)
          .join('<p>')}`,
      ),
  '/moved': (_request, response) => response.writeHead(302, { location: '/article?secret=1' }).end(),
  '/never': () => {},
  '/broken-parts':
    '<!doctype html><title>Parts</title><img src="/missing" alt=""><script>throw new Error("oops")</script><p>Parts',
};

/** Tells what the receiver has got at `?/path`, when it has: the names of its headers, because values of some differ each time. */
const toldBy =
  (receiver: Receiver): Route =>
  (request, response) => {
    const wanted = request.url?.slice('/received?'.length);
    void receiver
      .next(({ path }) => path === wanted)
      .then(({ method, path, headers, body }) => {
        const type = headers['content-type'];
        const isJson = type?.startsWith('application/json') === true;
        const told = {
          method,
          path,
          type,
          headers: Object.keys(headers).toSorted(),
          ...(isJson && { body: JSON.parse(String(body)) as unknown }),
        };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(told));
      });
  };

/** Each sequence has an account of its own, and to empty a worker for the next account costs half as much as a render. */
const openOfOneAccount: typeof openLateBrowser = async (...given) => {
  const browser = await openLateBrowser(...given);
  return {
    ...browser,
    get about() {
      return browser.about;
    },
    render: (job, signal) => browser.render({ ...job, account: 'exchanges' }, signal),
    makePicture: (_account, task, signal) => browser.makePicture('exchanges', task, signal),
  };
};

/** Elsewhere than in the stores of the run if the environment names a database. */
export async function openStage(version: Version, environment: Record<string, string> = {}) {
  const site = await startPageServer(pages);
  const receiver = await startReceiver();
  site.route('/received', toldBy(receiver));
  const dns = await startDnsServer((name) => (name === 'inside.example' ? ['10.0.0.1'] : undefined));
  const clock = createTestClock(Date.parse('2026-05-04T12:00:00.000Z'));
  let isBroken = false;
  const service = await startService(
    {
      EGRESS_ALLOW: `${site.host},${closedHost},${receiver.host}`,
      PLANS_FILE: plansFileOf(version),
      ...environment,
    },
    0,
    [dns.address],
    {
      clock,
      openBrowser: openOfOneAccount,
      wrapDatabase: (database) => ({
        ...database,
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
    receiver,
    setBroken(value: boolean): void {
      isBroken = value;
    },
    async close(): Promise<void> {
      await service.stop();
      dns.close();
      await Promise.all([site.close(), receiver.close()]);
    },
  };
}
