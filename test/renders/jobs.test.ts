// Queued renders on every engine: accepted in one transaction, begun in turn by any machine, ended exactly once whatever happens to
// the machine, and bounded for each account.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { after, afterEach, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { invalid, ServiceError } from '#core/errors.ts';
import { readBlob } from '#storage/blobs.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { maxWaiting } from '#delivery/events.ts';
import type { RenderRequest } from '#renders/render-request.ts';
import { keptFailures } from '#renders/record-render.ts';
import { quietFor } from '#test/support/quiet-for.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { openJobsKit, webhookUrl, type JobsKit } from '#test/renders/jobs-kit.ts';
import { contentOf, engines, requestFor } from '#test/renders/kit.ts';
import { renderRow } from '#test/storage/rows.ts';

const never = new AbortController().signal;

for (const engine of engines) {
  describe(`queued renders on ${engine.name}`, () => {
    let kit: JobsKit;
    before(async () => {
      kit = await openJobsKit(engine);
    });
    afterEach(() => kit.reset());
    after(() => kit.close());

    const reportsOf = async (payer: Caller) =>
      (await kit.deliveries(payer)).map(
        ({ event, url, body, render_id }) =>
          [event, url, render_id ?? (JSON.parse(body) as { data: { id: string } }).data.id] as const,
      );

    test('an accepted render is queued with its units reserved, and ends with units, files and webhook together', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      const request = requestFor(['png', 'pdf'], {
        reference: 'order 7',
        source: { kind: 'url', url: 'https://93.184.216.34/a?token=secret' },
      });
      request.job.access = { ...request.job.access, headers: { 'x-token': 'a-secret-header' } };
      const accepted = await machine.accept(payer, { request, url: webhookUrl });
      const { id } = accepted;
      assert.deepEqual(
        [accepted.state, accepted.finishedAt, accepted.units, accepted.outputs, accepted.reference],
        ['queued', null, 0, [], 'order 7'],
      );
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0, units: 2, queued: 1 });
      const stored = (await readBlob(kit.jobStore.blobs, id))!.toString();
      assert.ok(!stored.includes('secret') && !stored.includes('93.184'), 'the request is encrypted');
      assert.ok(!JSON.stringify(await kit.jobOf(id)).includes('a-secret-header'));

      machine.open();
      await kit.ended(machine, payer, id);
      const render = (await machine.renderHistory.find(payer.accountId, id))!;
      assert.deepEqual(
        [render.state, render.units, render.outputs.map(({ format, isHosted }) => [format, isHosted])],
        [
          'succeeded',
          2,
          [
            ['png', true],
            ['pdf', true],
          ],
        ],
      );
      assert.equal(render.createdAt, accepted.createdAt);
      assert.deepEqual(await kit.books(payer), { used: 2, ledger: 2, leases: 0, units: 0, queued: 0 });
      assert.deepEqual(await reportsOf(payer), [['render.succeeded', webhookUrl, id]]);
      await waitFor('the request to be deleted', async () => !(await kit.keys('jobs')).includes(id));
    });

    test('a large document is encrypted, and there when it runs, before the files', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      await using spools = new AsyncDisposableStack();
      const pathOf = async (bytes: Buffer): Promise<string> => {
        const spool = spools.use(kit.store.blobs.createSpool());
        await spool.write(bytes);
        return spool.toFile();
      };
      const html = Buffer.from(`<p>a private text${' '.repeat(300_000)}ü`);
      const text = {
        path: await pathOf(html),
        sizeBytes: html.length,
        sha256: hash('sha256', html),
      };
      const style = Buffer.from('p { color: red }');
      const file = {
        name: 'a.css',
        contentType: 'text/css',
        path: await pathOf(style),
        sizeBytes: style.length,
      };
      const seen: Buffer[] = [];
      machine.browser.before = async ({ source }) => {
        if (source.kind === 'url' || typeof source.text === 'string') return;
        for (const { path } of [source.text, ...source.files]) seen.push(await readFile(path));
      };
      const source = { kind: 'html', text, baseUrl: null, files: [file] } as const;
      const { id } = await machine.accept(payer, {
        request: requestFor(['text'], { source: { ...source, files: [file] } }),
      });
      const stored = (await readBlob(kit.jobStore.blobs, id))!;
      assert.ok(!stored.includes('a private text'), 'the document is encrypted');
      machine.open();
      await kit.ended(machine, payer, id);
      assert.deepEqual(seen, [html, style]);
    });

    test('files of the request are there when it runs', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      await using spool = kit.store.blobs.createSpool();
      await spool.write(Buffer.from('body { color: red }'));
      const files = [
        { name: 'empty.txt', contentType: 'text/plain', path: '', sizeBytes: 0 },
        { name: 'a.css', contentType: 'text/css', path: await spool.toFile(), sizeBytes: 19 },
      ];
      await using empty = kit.store.blobs.createSpool();
      files[0]!.path = await empty.toFile();
      const seen: [string, string][] = [];
      machine.browser.before = async ({ source }) => {
        for (const file of source.kind === 'url' ? [] : source.files)
          seen.push([file.name, await readFile(file.path, 'utf8')]);
      };
      const source = { kind: 'html', text: '<p>', baseUrl: null, files } as const;
      const { id } = await machine.accept(payer, {
        request: requestFor(['text'], { source: { ...source } }),
      });
      machine.open();
      await kit.ended(machine, payer, id);
      assert.deepEqual(seen, [
        ['empty.txt', ''],
        ['a.css', 'body { color: red }'],
      ]);
    });

    test('equal requests with max_age that are queued at once are one render, which costs once', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      const asked = (change: Partial<RenderRequest> = {}) =>
        requestFor(['png'], { cacheKey: 'k'.repeat(43), ...change });
      const all = await Promise.all(
        Array.from({ length: 8 }, () => machine.accept(payer, { request: asked(), url: webhookUrl })),
      );
      assert.deepEqual([...new Set(all.map(({ id }) => id))], [all[0]!.id]);
      assert.equal(all.filter(({ quota }) => quota).length, 1, 'one of them took the unit');
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0, units: 1, queued: 1 });
      assert.deepEqual(await kit.keys('jobs'), [all[0]!.id]);

      // What is delivered otherwise is another render, and so is what asks for no earlier result.
      const others = await Promise.all([
        machine.accept(payer, { request: asked() }),
        machine.accept(payer, { request: asked({ reference: 'mine' }), url: webhookUrl }),
        machine.accept(payer, { request: asked({ expiresInSeconds: 60 }), url: webhookUrl }),
        machine.accept(payer, { request: asked({ cacheKey: 'l'.repeat(43) }), url: webhookUrl }),
        machine.accept(payer, { request: requestFor(['png']), url: webhookUrl }),
        machine.accept(await kit.newPayer(), { request: asked(), url: webhookUrl }),
        machine.accept(payer, {
          request: asked({ puts: [{ place: 0, url: webhookUrl, field: 'put_url' }] }),
          url: webhookUrl,
        }),
      ]);
      assert.equal(new Set([all[0]!.id, ...others.map(({ id }) => id)]).size, 8);

      await machine.renderJobs.cancel(payer.accountId, [all[0]!.id]);
      const next = await machine.accept(payer, { request: asked(), url: webhookUrl });
      assert.notEqual(next.id, all[0]!.id, 'one that was canceled is not joined');
    });

    test('a result that was made with other private hosts than it was asked for answers nothing later', async () => {
      const payer = await kit.newPayer();
      const ids = [];
      for (const [letter, allowed_hosts] of [
        ['k', ''],
        ['l', 'wiki.corp:443'],
      ] as const) {
        const machine = kit.machine();
        const request = requestFor(['png'], { cacheKey: letter.repeat(43) });
        const { id } = await machine.accept(payer, { request });
        await kit.tables.accounts.update(payer.accountId, { allowed_hosts });
        machine.open();
        await kit.ended(machine, payer, id);
        ids.push(id);
      }
      const rows = await Promise.all(ids.map((id) => kit.tables.renders.byId(id)));
      assert.deepEqual(
        rows.map((row) => row?.cache_key),
        ['k'.repeat(43), null],
      );
    });

    test('a plan bounds what waits, not what runs, and 402 is immediate', async () => {
      const machine = kit.machine();
      const payer = await kit.newPayer('two-places');
      await machine.accept(payer);
      await machine.accept(payer);
      await assert.rejects(machine.accept(payer), (error: ServiceError) => {
        assert.deepEqual([error.code, error.status, error.retryAfterSeconds], ['queue_full', 429, 5]);
        return true;
      });
      const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
      machine.browser.before = () => held;
      machine.open();
      await waitFor('one to run', () => machine.starts.length === 1);
      await waitFor('a place', async () => (await kit.books(payer)).queued < 2);
      const third = await machine.accept(payer);
      letGo();
      await kit.ended(machine, payer, third.id);
      await machine.close();

      const poor = await kit.newPayer('two-units');
      const other = kit.machine();
      await other.accept(poor);
      const { id } = await other.accept(poor);
      await assert.rejects(other.accept(poor), { code: 'quota_exceeded' });
      await assert.rejects(kit.slots.acquire(poor, 1), { code: 'quota_exceeded' });
      assert.deepEqual(await other.renderJobs.cancel(poor.accountId, [id]), [id]);
      await kit.slots.release((await kit.slots.acquire(poor, 1)).leaseId);
      await assert.rejects(other.accept(await kit.newPayer('no-slot')), { code: 'concurrency_limited' });
      const left = (await kit.keys('jobs')).length;
      await assert.rejects(other.accept(await kit.newPayer('no-slot')), { code: 'concurrency_limited' });
      assert.equal((await kit.keys('jobs')).length, left, 'nothing is left of a refused request');
    });

    test('while ten thousand messages wait for their receivers, no further webhook_url is accepted', async () => {
      const [payer, neighbour] = [await kit.newPayer(), await kit.newPayer()];
      const machine = kit.machine();
      await kit.tables.webhooks.wakeOwnQueue(payer.accountId, kit.clock.now());
      await kit.connection
        .updateTable('webhook_endpoints')
        .set({ waiting: maxWaiting })
        .where('id', '=', payer.accountId)
        .execute();
      const kept = await kit.keys('jobs');
      await assert.rejects(machine.accept(payer, { url: webhookUrl }), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.deepEqual(
          [error.code, error.retryAfterSeconds, error.details.field],
          ['queue_full', 60, 'webhook_url'],
        );
        return true;
      });
      assert.deepEqual(await kit.keys('jobs'), kept);
      await machine.accept(payer);
      await machine.accept(neighbour, { url: webhookUrl });
    });

    test('what is recorded with the acceptance commits or rolls back with it', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      const request = requestFor(['png']);
      await assert.rejects(
        machine.renderJobs.accept(
          payer,
          { request, given: request, webhookUrl: undefined },
          never,
          async () => {
            throw new Error('no');
          },
        ),
        /no/,
      );
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0, units: 0, queued: 0 });
      const page = { limit: 10, cursor: undefined, reference: undefined };
      assert.deepEqual((await machine.renderHistory.list(payer.accountId, page)).items, []);
    });

    test('accounts take turns, however many renders each has queued', async () => {
      const machine = kit.machine();
      const [a, b, c] = [await kit.newPayer(), await kit.newPayer(), await kit.newPayer()];
      const names = new Map([a, b, c].map(({ accountId }, place) => [accountId, 'abc'[place]]));
      for (let count = 0; count < 6; count += 1) await machine.accept(a);
      for (let count = 0; count < 3; count += 1) await machine.accept(b);
      await machine.accept(c);
      machine.open();
      await waitFor('all to start', () => machine.starts.length === 10);
      const order = machine.starts.map((id) => names.get(id)).join('');
      // Two stand in line at once and may change places there: whose request is read first comes first.
      assert.ok(order.slice(0, 4).includes('c'), order);
      for (let length = 1; length <= order.lastIndexOf('b'); length += 1) {
        const count = (name: string) => order.slice(0, length).split(name).length - 1;
        assert.ok(Math.abs(count('a') - count('b')) <= 2, order);
      }
    });

    test('two machines take turns together', async () => {
      const machines = [kit.machine({ concurrency: 2 }), kit.machine({ concurrency: 2 })];
      const [a, b] = [await kit.newPayer(), await kit.newPayer()];
      const order: string[] = [];
      for (const machine of machines)
        machine.browser.before = async ({ account }) => {
          order.push(account === a.accountId ? 'a' : 'b');
          await quietFor(Math.random() * 30, 'renders take different times');
        };
      for (let count = 0; count < 20; count += 1) await machines[0]!.accept(a);
      for (let count = 0; count < 20; count += 1) await machines[1]!.accept(b);
      for (const machine of machines) machine.open();
      await waitFor('all to start', () => order.length === 40);
      // Of what has begun, each has half, apart from what stands in line.
      for (let length = 1; length <= order.length; length += 1) {
        const ofA = order.slice(0, length).filter((name) => name === 'a').length;
        assert.ok(Math.abs(length - 2 * ofA) <= 8, order.join(''));
      }
    });

    test('an account never runs more than its plan allows, synchronous renders included', async () => {
      const payer = await kit.newPayer('one-slot');
      const machine = kit.machine({ concurrency: 4 });
      let most = 0;
      let running = 0;
      machine.browser.before = async () => {
        most = Math.max(most, (running += 1));
        await setImmediate();
        running -= 1;
      };
      const { leaseId } = await kit.slots.acquire(payer, 1);
      const { id } = await machine.accept(payer);
      const last = await machine.accept(payer);
      machine.open();
      await machine.begin();
      assert.equal(await machine.state(payer, id), 'queued');
      await kit.slots.release(leaseId);
      await machine.begin();
      await kit.ended(machine, payer, last.id);
      assert.equal(most, 1);
    });

    test('a queued render stands in line with those that wait for their answer', async () => {
      const machine = kit.machine();
      const [a, b] = [await kit.newPayer(), await kit.newPayer()];
      const gate = Promise.withResolvers<void>();
      machine.browser.before = () => gate.promise;
      const sync = (payer: Caller) =>
        machine.renderQueue.run(payer.accountId, async () => {
          machine.starts.push(`sync ${payer.accountId}`);
          await gate.promise;
        });
      const running = [sync(a), sync(a), sync(a)];
      const { id } = await machine.accept(b);
      machine.open();
      await waitFor('it to stand in line', () => machine.renderQueue.load().waiting === 3);
      gate.resolve();
      await Promise.all(running);
      await kit.ended(machine, b, id);
      const [ofA, ofB] = [`sync ${a.accountId}`, b.accountId];
      assert.deepEqual(machine.starts, [ofA, ofA, ofB, ofA]);
    });

    test('cancel: one that waits and one that runs end at once and cost nothing', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      const aborted = Promise.withResolvers<void>();
      machine.browser.before = (_job, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            aborted.resolve();
            reject(new RenderFailure('aborted', 'stopped'));
          });
        });
      const running = await machine.accept(payer, { url: webhookUrl });
      machine.open();
      await waitFor('it to run', () => machine.starts.length === 1);
      const waiting = await machine.accept(payer, { url: webhookUrl });
      const stranger = await kit.newPayer();
      assert.deepEqual(await machine.renderJobs.cancel(stranger.accountId, [running.id]), []);
      const both = [running.id, waiting.id];
      assert.deepEqual((await machine.renderJobs.cancel(payer.accountId, both)).toSorted(), both.toSorted());
      await aborted.promise;
      for (const id of both) {
        const render = (await machine.renderHistory.find(payer.accountId, id))!;
        assert.deepEqual([render.state, render.failure, render.units], ['canceled', null, 0]);
        assert.notEqual(render.finishedAt, null);
      }
      await machine.close();
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0, units: 0, queued: 0 });
      assert.deepEqual(await kit.deliveries(payer), []);
      assert.deepEqual(await machine.renderJobs.cancel(payer.accountId, both), []);
      assert.ok(!(await kit.keys('jobs')).some((key) => both.includes(key)));
    });

    test('one that fails or is canceled after hundreds of later ones failed is kept', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      machine.browser.before = async () => {
        throw new RenderFailure('unreachable', 'it cannot be reached');
      };
      const [first, second] = [await machine.accept(payer), await machine.accept(payer)];
      const later = kit.clock.now() + 1;
      for (let place = 0; place < keptFailures; place += 1)
        await kit.tables.renders.insert(
          renderRow(payer.accountId, { failure: 'failed', created_at: later, finished_at: later }),
        );
      await kit.clock.advance(2);
      assert.deepEqual(await machine.renderJobs.cancel(payer.accountId, [first.id]), [first.id]);
      assert.equal(await machine.state(payer, first.id), 'canceled');
      machine.open();
      await kit.ended(machine, payer, second.id);
      await machine.close();
      const { items } = await machine.renderHistory.list(payer.accountId, {
        limit: keptFailures + 1,
        cursor: undefined,
        reference: undefined,
      });
      assert.equal(items.length, keptFailures);
      assert.deepEqual(
        items.slice(-2).map(({ id, state }) => [id, state]),
        [
          [second.id, 'failed'],
          [first.id, 'canceled'],
        ],
      );
    });

    test('a render that is canceled while its files are stored leaves none', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine({
        blobs: {
          ...kit.store.blobs,
          async adopt(file, account) {
            await machine.renderJobs.cancel(payer.accountId, [id]);
            return kit.store.blobs.adopt(file, account);
          },
        },
      });
      const { id } = await machine.accept(payer);
      machine.open();
      await kit.ended(machine, payer, id);
      await machine.close();
      assert.equal(await machine.state(payer, id), 'canceled');
      assert.ok(!(await kit.keys('renders')).includes(id));
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0, units: 0, queued: 0 });
    });

    test('a page that fails ends the render with its reason and its webhook, and is not tried again', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      machine.browser.before = async () => {
        throw new RenderFailure('unreachable', 'it cannot be reached');
      };
      const { id } = await machine.accept(payer, { url: webhookUrl });
      machine.open();
      await kit.ended(machine, payer, id);
      const { failure } = (await machine.renderHistory.find(payer.accountId, id))!;
      assert.deepEqual(failure, {
        reason: 'unreachable',
        field: 'url',
        message: 'it cannot be reached',
        requestId: null,
      });
      assert.deepEqual(
        [machine.starts.length, await reportsOf(payer)],
        [1, [['render.failed', webhookUrl, id]]],
      );
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0, units: 0, queued: 0 });
    });

    test('what is refused only when it runs is a failure that names the field', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine({
        lowerRequest() {
          throw invalid('block[0]', 'ads: there is no list');
        },
      });
      const { id } = await machine.accept(payer);
      machine.open();
      await kit.ended(machine, payer, id);
      const { failure } = (await machine.renderHistory.find(payer.accountId, id))!;
      assert.deepEqual(failure, {
        reason: 'crashed',
        field: 'block[0]',
        message: 'ads: there is no list',
        requestId: null,
      });
    });

    test('a machine that lost its lease cannot end the render, nor touch the files of the one that did', async () => {
      const payer = await kit.newPayer();
      const [slow, quick] = [kit.machine(), kit.machine()];
      const gate = Promise.withResolvers<void>();
      slow.browser.before = () => gate.promise;
      slow.browser.padTo = 999;
      const { id } = await slow.accept(payer, { url: webhookUrl });
      slow.open();
      await waitFor('it to run', () => slow.starts.length === 1);
      assert.equal(await slow.state(payer, id), 'running');
      await kit.clock.advance(29_000);
      await slow.extendLeases();
      await kit.clock.advance(29_000);
      quick.open();
      await quick.begin();
      assert.deepEqual(quick.starts, [], 'an extended lease holds');
      await kit.letLeasesEnd();
      await quick.begin();
      await kit.ended(quick, payer, id);
      gate.resolve();
      await slow.close();
      assert.equal((await readBlob(kit.store.blobs, id))?.toString(), contentOf('png', 0));
      assert.deepEqual(await kit.books(payer), { used: 1, ledger: 1, leases: 0, units: 0, queued: 0 });
      assert.deepEqual(await reportsOf(payer), [['render.succeeded', webhookUrl, id]]);
    });

    test('a machine that loses its lease while it stores its files ends nothing and deletes nothing', async () => {
      const payer = await kit.newPayer();
      const quick = kit.machine();
      const slow = kit.machine({
        blobs: {
          ...kit.store.blobs,
          async adopt(file, account) {
            await kit.letLeasesEnd();
            quick.open();
            await quick.begin();
            await kit.ended(quick, payer, id);
            return kit.store.blobs.adopt(file, account);
          },
        },
      });
      const { id } = await slow.accept(payer, { url: webhookUrl });
      slow.open();
      await kit.ended(quick, payer, id);
      await slow.close();
      assert.deepEqual([quick.starts.length, slow.starts.length], [1, 1]);
      assert.equal((await readBlob(kit.store.blobs, id))?.toString(), contentOf('png', 0));
      assert.deepEqual(await kit.books(payer), { used: 1, ledger: 1, leases: 0, units: 0, queued: 0 });
      assert.deepEqual(await reportsOf(payer), [['render.succeeded', webhookUrl, id]]);
    });

    test("a render that another machine has begun again is that machine's to end", async () => {
      const payer = await kit.newPayer();
      const quick = kit.machine();
      const gate = Promise.withResolvers<void>();
      quick.browser.before = () => gate.promise;
      quick.browser.padTo = 50;
      const slow = kit.machine({
        blobs: {
          ...kit.store.blobs,
          async adopt(file, account) {
            await kit.letLeasesEnd();
            quick.open();
            await waitFor('the other to begin', () => quick.starts.length === 1);
            return kit.store.blobs.adopt(file, account);
          },
        },
      });
      const { id } = await slow.accept(payer);
      slow.open();
      await waitFor('both to have begun', () => quick.starts.length === 1);
      await slow.close();
      const state = await quick.state(payer, id);
      gate.resolve();
      assert.equal(state, 'running');
      await kit.ended(quick, payer, id);
      assert.equal((await readBlob(kit.store.blobs, id))?.length, 50);
      assert.deepEqual(await kit.books(payer), { used: 1, ledger: 1, leases: 0, units: 0, queued: 0 });
    });

    test('a machine hears that its render was canceled elsewhere when it extends its leases', async () => {
      const payer = await kit.newPayer();
      const [runs, cancels] = [kit.machine(), kit.machine()];
      const aborted = Promise.withResolvers<void>();
      runs.browser.before = async (_job, signal) => {
        signal.addEventListener('abort', () => aborted.resolve());
        await aborted.promise;
        throw new RenderFailure('aborted', 'stopped');
      };
      const { id } = await runs.accept(payer);
      runs.open();
      await waitFor('it to run', () => runs.starts.length === 1);
      await cancels.renderJobs.cancel(payer.accountId, [id]);
      await runs.extendLeases();
      await aborted.promise;
      await runs.close();
      assert.equal(await runs.state(payer, id), 'canceled');
    });

    test('an outage is tried again when the lease has run out, and not for ever', async () => {
      const payer = await kit.newPayer();
      let interrupted = 0;
      const machine = kit.machine({ log: pino({ level: 'error' }, { write: () => (interrupted += 1) }) });
      let isDown = true;
      machine.browser.before = async () => {
        if (isDown) throw new Error('the store is down');
      };
      const { id } = await machine.accept(payer);
      machine.open();
      const attempts = async () => (await kit.jobOf(id))?.attempts;
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        await machine.begin();
        await waitFor('the end of the attempt', () => interrupted === attempt);
        await kit.letLeasesEnd();
      }
      assert.equal(await attempts(), 2);
      isDown = false;
      await machine.begin();
      await kit.ended(machine, payer, id);
      assert.deepEqual([await machine.state(payer, id), machine.starts.length], ['succeeded', 3]);

      isDown = true;
      const lost = await machine.accept(payer, { url: webhookUrl });
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await machine.begin();
        await waitFor('the end of the attempt', () => interrupted === 2 + attempt);
        await kit.letLeasesEnd();
      }
      await kit.ended(machine, payer, lost.id);
      const { failure } = (await machine.renderHistory.find(payer.accountId, lost.id))!;
      assert.equal(failure?.reason, 'crashed');
      assert.deepEqual(await reportsOf(payer), [['render.failed', webhookUrl, lost.id]]);
    });

    test('a machine that is busy or stops gives the render back, and it counts as no attempt', async () => {
      const payer = await kit.newPayer();
      const [stops, other] = [kit.machine(), kit.machine()];
      stops.browser.before = (_job, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new RenderFailure('aborted', 'stopped')));
        });
      const { id } = await stops.accept(payer);
      stops.open();
      await waitFor('it to run', () => stops.starts.length === 1);
      await stops.close();
      const { attempts, claim, leased_until } = (await kit.jobOf(id))!;
      assert.deepEqual([attempts, claim, leased_until, await stops.state(payer, id)], [0, null, 0, 'queued']);

      let tries = 0;
      other.browser.before = async () => {
        if ((tries += 1) === 1) throw new ServiceError('concurrency_limited', 'busy');
      };
      other.open();
      await kit.ended(other, payer, id);
      assert.deepEqual([tries, await other.state(payer, id)], [2, 'succeeded']);
    });

    test('the renders of a suspended account wait, and those of a deleted one are gone with their files', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      const { id } = await machine.accept(payer);
      await kit.tables.accounts.update(payer.accountId, { suspended: 1 });
      machine.open();
      await machine.begin();
      assert.equal(await machine.state(payer, id), 'queued');
      await kit.tables.accounts.update(payer.accountId, { suspended: 0 });
      await machine.begin();
      await kit.ended(machine, payer, id);

      await machine.close();
      const left = await machine.accept(payer);
      await machine.renderJobs.purgeAccount(payer.accountId);
      assert.deepEqual(
        [
          await kit.jobOf(left.id),
          await machine.state(payer, left.id),
          (await kit.keys('jobs')).includes(left.id),
        ],
        [undefined, undefined, false],
      );
    });

    test('after the start of a single machine nothing waits for the leases of the dead one', async () => {
      const payer = await kit.newPayer();
      const [dead, next] = [kit.machine(), kit.machine()];
      const gate = Promise.withResolvers<void>();
      dead.browser.before = () => gate.promise;
      const { id } = await dead.accept(payer);
      dead.open();
      await waitFor('it to run', () => dead.starts.length === 1);
      await kit.haveLooked();
      await next.renderJobs.forgetLeases();
      next.open();
      await kit.ended(next, payer, id);
      gate.resolve();
      await dead.close();
      assert.deepEqual(await kit.books(payer), { used: 1, ledger: 1, leases: 0, units: 0, queued: 0 });
    });

    test('a wait ends with the render, here or elsewhere, with its time, or with the client', async () => {
      const payer = await kit.newPayer();
      const [here, elsewhere] = [kit.machine(), kit.machine()];
      const { accountId } = payer;
      const wait = (id: string, signal = never, ms = 600_000) =>
        here.renderWaits.wait(accountId, id, { ms, signal });

      const first = await here.accept(payer);
      const waited = wait(first.id);
      await here.lookForEnds();
      assert.equal(here.renderWaits.load(), 1, 'it has not ended');
      here.open();
      await waited;
      assert.equal(await here.state(payer, first.id), 'succeeded');
      await here.close();

      const asks = kit.machine();
      const second = await asks.accept(payer);
      const hangsUp = new AbortController();
      const all = [second.id, second.id].map((id) =>
        asks.renderWaits.wait(accountId, id, { ms: 600_000, signal: hangsUp.signal }),
      );
      hangsUp.abort();
      await Promise.all(all);
      const timeIsUp = asks.renderWaits.wait(accountId, second.id, { ms: 600_000, signal: never });
      await kit.clock.advance(600_000);
      await timeIsUp;
      const many = Array.from({ length: 60 }, () =>
        asks.renderWaits.wait(accountId, second.id, { ms: 600_000, signal: never }),
      );
      assert.equal(asks.renderWaits.load(), 50);
      elsewhere.open();
      await kit.ended(elsewhere, payer, second.id);
      await asks.lookForEnds();
      await Promise.all(many);
      assert.equal(asks.renderWaits.load(), 0);
    });

    test('sweeps: empty queues are forgotten, requests without a job are deleted, and nothing else', async () => {
      const payer = await kit.newPayer();
      const machine = kit.machine();
      const { id } = await machine.accept(payer);
      const idle = await kit.newPayer();
      await kit.opened.database.transaction((tables) => tables.renderJobs.lockQueue(idle.accountId));
      await machine.chore('sweep of render queues');
      const queues = await kit.connection.selectFrom('render_queues').select('account_id').execute();
      const accounts = queues.map(({ account_id }) => account_id);
      assert.deepEqual(
        [accounts.includes(payer.accountId), accounts.includes(idle.accountId)],
        [true, false],
      );
      // Some time after the files were written, which is the present for a store.
      await kit.clock.advance(Date.now() + 24 * 3_600_000 - kit.clock.now());
      await using orphan = kit.jobStore.blobs.createSpool();
      await orphan.write(Buffer.from('left'));
      await orphan.commit('orphanorphanorphan00');
      await machine.renderJobs.sweepOrphans();
      const keys = await kit.keys('jobs');
      assert.deepEqual([keys.includes(id), keys.includes('orphanorphanorphan00')], [true, false]);
    });
  });
}
