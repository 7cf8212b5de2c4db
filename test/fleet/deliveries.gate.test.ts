// Every way in which a result is delivered, while something that it needs is down. What each of them answers is the table "Deliveries"
// of docs/reliability.md. V2 2.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '#core/clock.ts';
import { createLinkKeys } from '#accounts/link-keys.ts';
import { createPlans } from '#accounts/plans.ts';
import { monthOf } from '#metering/quota.ts';
import type { RenderState } from '#storage/schema.ts';
import { callsOf, type Call, type Failure } from '#test/support/calls-v2.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { startFleet, type Fleet } from '#test/support/fleet.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { query } from '#test/support/postgres.ts';
import { workers } from '#test/support/process-table.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { receiverAddress, startReceiver, type Receiver } from '#test/support/receiver.ts';
import { bearer } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { stoppableChromium, type StoppableChromium } from '#test/support/wrapped-chromium.ts';

interface Receipt {
  id: string;
  state: RenderState;
  error: Failure['error'] | null;
  cached: boolean;
  warnings?: { code: string }[];
}

const paths = ['/new', '/cached', '/link', '/old-link'];
const down = ['page', 'browser', 'store', 'database', 'receiver'] as const;
type Down = (typeof down)[number];

const made = { bytes: '200 miss', hosted: '200', put: '200' };
const found = { cached: '200 hit', link: '200 hit' };
const failed = '500 internal';
const allFail = {
  bytes: failed,
  hosted: failed,
  put: failed,
  cached: failed,
  link: failed,
  oldLink: failed,
  queued: failed,
};
const noNewOne = (reason: string) => {
  const refused = `502 render_failed ${reason}`;
  return {
    bytes: refused,
    hosted: refused,
    put: refused,
    ...found,
    oldLink: '200 stale',
    queued: `202 ${reason}`,
  };
};
const expected: Record<Down, Awaited<ReturnType<typeof tryAll>>> = {
  page: noNewOne('unreachable'),
  browser: noNewOne('crashed'),
  // Bytes in the answer need no store.
  store: { ...allFail, bytes: '200 miss' },
  database: allFail,
  receiver: { ...made, ...found, put: '200 request_failed', oldLink: '200 miss', queued: '202 succeeded' },
};

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let receiver: Receiver;
let pages: PageServer;
let chromium: StoppableChromium;
let fleet: Fleet;
let account: { key: string; accountId: string };
let call: Call;
let linkTo: (path: string) => string;
let isPageUp = true;
let isReceiverUp = true;

before(async () => {
  folder = await temporaryFolder();
  const authority = createAuthority();
  const authorityFile = join(folder.path, 'authority.pem');
  await writeFile(authorityFile, authority.cert);
  receiver = await startReceiver({ authority });
  receiver.answer((_, response) => void response.writeHead(isReceiverUp ? 204 : 503).end());
  pages = await startPageServer({});
  // Each is a page of its own for the cache.
  for (const path of down.flatMap((what) => paths.map((name) => `${name}-${what}`)))
    pages.route(path, (request, response) => {
      if (isPageUp) response.setHeader('content-type', 'text/html').end('<!doctype html><h1>Hello');
      else request.socket.destroy();
    });
  chromium = await stoppableChromium();
  fleet = await startFleet({
    machines: 1,
    environment: {
      CHROMIUM_PATH: chromium.path,
      EGRESS_ALLOW: `${pages.host},${receiverAddress}`,
      NODE_EXTRA_CA_CERTS: authorityFile,
    },
  });
  account = await fleet.newKey('business');
  call = callsOf(fleet.origin, account.key);
  const linkKeys = createLinkKeys({ database: fleet.database, plans: createPlans(), clock: systemClock });
  const { row, secret } = await linkKeys.create(account.accountId, 'test');
  linkTo = (path) => {
    const payload = Buffer.from(JSON.stringify({ url: pages.base + path })).toString('base64url');
    const signature = createHmac('sha256', secret).update(`v2.${payload}`).digest('base64url');
    return `${fleet.origin}/r/${row.id}/${payload}/${signature}`;
  };
});
after(async () => {
  await fleet?.stop();
  await chromium?.remove();
  await pages?.close();
  await receiver?.close();
  await folder?.remove();
});

/** Status, then what a client is told: of the cache, or which error it is. */
async function told(response: Response): Promise<string> {
  const cache = response.headers.get('x-service-cache');
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.ok) return [response.status, cache].join(' ');
  assert.equal(cache, null, 'a failure is no result of the cache');
  assert.match(response.headers.get('cache-control') ?? '', response.status === 500 ? /no-store/ : /./);
  const { code, reason } = (JSON.parse(bytes.toString()) as Failure).error;
  return [response.status, code, reason].filter(Boolean).join(' ');
}

const bytesOf = (path: string, more = {}) =>
  fetch(`${fleet.origin}/api/v2/renders`, {
    method: 'POST',
    headers: { ...bearer(account.key), 'content-type': 'application/json' },
    body: JSON.stringify({ url: pages.base + path, response: 'file', ...more }),
  }).then(told);

async function hosted(path: string, more = {}): Promise<string> {
  const { status, body } = await call<Receipt>('POST', '/renders', {
    body: { url: pages.base + path, response: 'json', ...more },
  });
  const { error, warnings = [] } = body;
  return [status, error?.code, error?.reason, ...warnings.map(({ code }) => code)].filter(Boolean).join(' ');
}

/** Status, then how it ended. */
async function queued(path: string): Promise<string> {
  const { status, body } = await call<Receipt>('POST', '/renders', {
    body: { url: pages.base + path, async: true, webhook_url: `${receiver.base}/hook` },
  });
  if (status !== 202) return [status, body.error?.code].join(' ');
  let receipt = body;
  await waitFor('the queued render to end', async () => {
    ({ body: receipt } = await call<Receipt>('GET', `/renders/${body.id}?wait=10`));
    return receipt.state !== 'queued' && receipt.state !== 'running';
  });
  return [status, receipt.error?.reason ?? receipt.state].join(' ');
}

async function tryAll(what: Down) {
  return {
    bytes: await bytesOf(`/new-${what}`),
    hosted: await hosted(`/new-${what}`),
    put: await hosted(`/new-${what}`, { outputs: [{ format: 'png', put_url: `${receiver.base}/put` }] }),
    cached: await bytesOf(`/cached-${what}`, { max_age: 3600 }),
    link: await told(await fetch(linkTo(`/link-${what}`))),
    oldLink: await told(await fetch(linkTo(`/old-link-${what}`))),
    queued: await queued(`/new-${what}`),
  };
}

const isReady = async () => (await fetch(`${fleet.origin}/readyz`)).status === 200;
const outages: Record<Down, { begin: () => unknown; end: () => unknown }> = {
  page: { begin: () => (isPageUp = false), end: () => (isPageUp = true) },
  browser: {
    async begin() {
      await chromium.stop();
      for (const { pid } of workers()) process.kill(-pid, 'SIGKILL');
      await waitFor('the workers to end', () => workers().length === 0);
    },
    end: () => chromium.start(),
  },
  store: { begin: () => fleet.s3.pause(), end: () => fleet.s3.resume() },
  database: { begin: () => fleet.postgres.pause(), end: () => fleet.postgres.resume() },
  receiver: { begin: () => (isReceiverUp = false), end: () => (isReceiverUp = true) },
};

describe('what each delivery does while something is down', () => {
  for (const what of down)
    test(`the ${what}`, async () => {
      assert.equal(await bytesOf(`/cached-${what}`, { max_age: 3600 }), '200 miss');
      for (const link of ['link', 'old-link'])
        assert.equal(await told(await fetch(linkTo(`/${link}-${what}`))), '200 miss');
      await query(
        fleet.databaseUrl,
        'update renders set finished_at = finished_at - 86401000 where target = $1',
        [`${pages.base}/old-link-${what}`],
      );
      const before = receiver.received.length;
      const reports = () => receiver.received.slice(before).filter(({ path }) => path === '/hook').length;
      await outages[what].begin();
      try {
        assert.deepEqual(await tryAll(what), expected[what]);
        if (what === 'receiver') await waitFor('a report that it refuses', () => reports() === 1);
      } finally {
        await outages[what].end();
      }
      await waitFor('the service to be ready again', isReady);
      assert.equal(await bytesOf(`/new-${what}`), '200 miss');
      const wanted = { page: 1, browser: 1, store: 0, database: 0, receiver: 2 }[what];
      await waitFor('the reports of what was queued', () => reports() === wanted);
    });

  test('every result was paid for once, and nothing else', async () => {
    const counter = { accountId: account.accountId, unit: 'render', month: monthOf(Date.now()) } as const;
    const { usage } = fleet.database.tables;
    const { used } = await usage.read(counter);
    const { used: ledger } = await usage.sumOfLedger(counter);
    // Three before each outage and one after; while it lasted, bytes without a store, and five of which only the receiver was down.
    assert.deepEqual({ used, ledger }, { used: 4 * down.length + 1 + 5, ledger: 4 * down.length + 1 + 5 });
  });
});
