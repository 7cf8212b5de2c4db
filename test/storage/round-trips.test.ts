// The database statements of each operation: every statement is a round trip on Postgres, and every commit waits for the disk. An
// increase in either fails here, on any machine.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import * as images from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { watchStatements, type StatementWatch } from '#test/support/statements.ts';
import { signedInVisitor } from '#test/support/visitor.ts';
import { databaseEngines } from '#test/storage/engines.ts';

const units = ['update usage_counters', 'insert usage_events', 'insert usage_days'];
const storeFiles = [...units, 'insert uploads'];
const takeSlot = [
  'insert usage_counters',
  'update usage_counters',
  'select render_leases',
  'insert render_leases',
];
/** For an account that has endpoints for webhooks; one without pays nothing. */
const report = ['update webhook_endpoints', 'insert webhook_deliveries'];
const storeRender = ['delete render_leases', ...units, 'insert renders'];
const queueRender = [
  'insert render_queues',
  'insert usage_counters',
  'update usage_counters',
  'select render_leases',
  'insert renders',
  'insert render_jobs',
];
/** One more transaction claims it; the watch takes that for background. */
const storeQueued = [
  'insert usage_counters',
  'update usage_counters',
  'delete render_jobs',
  'delete renders',
  ...units,
  'insert renders',
];
const awaitRender = ['select renders', 'select render_jobs', 'select renders'];
const noteFailure = ['delete render_leases', 'insert renders', 'delete renders'];
// The third reads the account of a session that has not been ended.
const signedIn = ['select sessions', 'select people', 'select sessions', 'select credentials'];

const committed = (statements: string[]) => ['begin', ...statements, 'commit'];
const expected = {
  // The budget is in memory.
  sqlite: {
    upload: ['select api_keys', ...committed(storeFiles)],
    reported: ['select api_keys', ...committed([...storeFiles, ...report])],
    screenshot: ['select api_keys', ...committed(takeSlot), ...committed(storeRender)],
    reportedScreenshot: [
      'select api_keys',
      ...committed(takeSlot),
      ...committed([...storeRender, ...report]),
    ],
    queued: ['select api_keys', ...committed(queueRender)],
    performed: [
      'select api_keys',
      ...committed(queueRender),
      'select api_keys',
      ...awaitRender,
      'select accounts',
      ...committed(storeQueued),
    ],
    failed: ['select api_keys', ...committed(takeSlot), ...noteFailure],
  },
  // Key, account and budget are one statement.
  postgres: {
    upload: ['with api_keys', ...committed(storeFiles)],
    reported: ['with api_keys', ...committed([...storeFiles, ...report])],
    screenshot: ['with api_keys', ...committed(takeSlot), ...committed(storeRender)],
    reportedScreenshot: ['with api_keys', ...committed(takeSlot), ...committed([...storeRender, ...report])],
    queued: ['with api_keys', ...committed(queueRender)],
    performed: [
      'with api_keys',
      ...committed(queueRender),
      'with api_keys',
      ...awaitRender,
      'select accounts',
      ...committed(storeQueued),
    ],
    failed: ['with api_keys', ...committed(takeSlot), ...noteFailure],
  },
};

for (const engine of databaseEngines) {
  describe(`round trips on ${engine.name}`, () => {
    const { upload, reported, screenshot, reportedScreenshot, queued, performed, failed } =
      expected[engine.name];
    let service: TestService;
    let site: PageServer;
    let watch: StatementWatch;
    let remove: () => Promise<void>;
    let headers: Record<string, string>;
    let picture: Buffer;

    before(async () => {
      const place = await engine.newPlace();
      remove = place.remove;
      site = await startPageServer({
        '/': '<!doctype html><h1>Hello</h1>',
        '/broken': (request) => void request.socket.destroy(),
      });
      service = await startService({ ...place.environment, EGRESS_ALLOW: site.host });
      headers = bearer((await service.newKey()).key);
      picture = await images.png();
      watch = watchStatements();
    });
    after(async () => {
      watch.stop();
      await service.stop();
      await site.close();
      await remove();
    });

    /**
     * The first run creates the month's counter, so it does not count. On a busy machine a statement of a chore,
     * or a lease that is renewed, can fall between two others, so one of five runs must match.
     */
    async function expectStatements(
      work: () => Promise<unknown>,
      statements: string[],
      ordered = (seen: string[]) => seen,
    ): Promise<void> {
      let seen: string[] = [];
      for (let run = 0; run <= 5 && !isDeepStrictEqual(seen, statements); run += 1) {
        watch.take();
        await work();
        seen = run === 0 ? [] : ordered(watch.take());
      }
      assert.deepEqual(seen, statements);
    }

    const send = async (path: string, files: number) => {
      const form = formOf(Array.from({ length: files }, () => [picture, 'a.png']));
      const { status, body } = await post<{ slug: string }>(service.origin + path, { body: form, headers });
      assert.equal(status, 201);
      return body.slug;
    };

    test('an upload', () => expectStatements(() => send('/api/v1/upload', 1), upload));

    test('a batch of ten: the same statements as one upload', () =>
      expectStatements(() => send('/api/v1/upload/batch', 10), upload));

    async function newListener(): Promise<Record<string, string>> {
      const visitor = await signedInVisitor(service);
      const { key } = await service.accounts.createKey(visitor.email, 'test');
      const endpoint = { url: `https://${site.host}/`, events: ['upload.created', 'render.succeeded'] };
      assert.equal((await visitor.call('POST /webhooks', { body: endpoint })).status, 201);
      // Nothing is sent meanwhile.
      await service.database.connection
        .updateTable('webhook_endpoints')
        .set({ leased_until: 1e15 })
        .execute();
      return bearer(key);
    }

    test('an upload that webhooks report', async () => {
      const listener = await newListener();
      const form = () => formOf([[picture, 'a.png']]);
      const send = async () => post(`${service.origin}/api/v1/upload`, { body: form(), headers: listener });
      await expectStatements(send, reported);
    });

    test('a hosted file', async () => {
      const slug = await send('/api/v1/upload', 1);
      const fetchFile = async () => {
        const response = await fetch(`${service.origin}/f/${slug}`);
        assert.deepEqual(Buffer.from(await response.arrayBuffer()), picture);
      };
      await expectStatements(fetchFile, ['select uploads']);
    });

    async function shoot(as = headers, url = `${site.base}/`, expected = 200): Promise<void> {
      const response = await fetch(`${service.origin}/api/v1/screenshot`, {
        method: 'POST',
        body: JSON.stringify({ url }),
        headers: { ...as, 'content-type': 'application/json' },
      });
      assert.equal(response.status, expected);
      await response.arrayBuffer();
    }

    test('a screenshot', () => expectStatements(() => shoot(), screenshot));

    test('a screenshot that webhooks report', async () => {
      const listener = await newListener();
      await expectStatements(() => shoot(listener), reportedScreenshot);
    });

    test('a screenshot that fails, of which nobody wants to know', async () => {
      const listener = await newListener();
      await expectStatements(() => shoot(listener, `${site.base}/broken`, 502), failed);
    });

    test('a render that is queued', async () => {
      const { key, accountId } = await service.newKey({ plan: 'free' });
      // It does not begin, because a lease takes the only slot.
      await service.database.tables.renderLeases.insert({
        id: 'held',
        account_id: accountId,
        key_id: null,
        expires_at: 1e15,
        units: 1,
      });
      const queue = async () => {
        const answer = await post(`${service.origin}/api/v2/renders`, {
          headers: { ...bearer(key), 'content-type': 'application/json' },
          body: JSON.stringify({ html: '<p>later', async: true }),
        });
        assert.equal(answer.status, 202);
      };
      await expectStatements(queue, queued);
    });

    test('a render that is queued and runs', async () => {
      const { key } = await service.newKey();
      const json = { ...bearer(key), 'content-type': 'application/json' };
      const run = async () => {
        const body = JSON.stringify({ html: '<p>now', async: true });
        const { body: accepted } = await post<{ id: string }>(`${service.origin}/api/v2/renders`, {
          headers: json,
          body,
        });
        const response = await fetch(`${service.origin}/api/v2/renders/${accepted.id}?wait=30`, {
          headers: json,
        });
        assert.equal(((await response.json()) as { state: string }).state, 'succeeded');
      };
      // Its client and its machine take turns at the database in any order.
      await expectStatements(run, performed.toSorted(), (seen) => seen.toSorted());
    });

    test('a list in the dashboard', async () => {
      const visitor = await signedInVisitor(service);
      const list = async () => assert.equal((await visitor.call('GET /uploads')).status, 200);
      await expectStatements(list, [...signedIn, 'select uploads']);
    });
  });
}
