// Outputs that are sent elsewhere: all at once, from the files that are kept, while the units stay reserved; whatever becomes of them,
// the render is metered once. v2 2.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createPhases } from '#core/phases.ts';
import type { OutputFormat } from '#browser/job.ts';
import { receiverAddress, startReceiver, type Receiver } from '#test/support/receiver.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { openJobsKit } from '#test/renders/jobs-kit.ts';
import { contentOf, engines, openKit, page, requestFor, type Kit } from '#test/renders/kit.ts';

for (const engine of engines) {
  describe(`outputs sent elsewhere, on ${engine.name}`, () => {
    let kit: Kit;
    let receiver: Receiver;
    let held: ServerResponse[] = [];
    before(async () => {
      [kit, receiver] = await Promise.all([openKit(engine), startReceiver()]);
    });
    after(async () => {
      await kit.close();
      await receiver.close();
    });
    beforeEach(() => {
      held = [];
      receiver.received.length = 0;
      receiver.answer((_, response) => void held.push(response));
    });
    const answerAll = () => held.forEach((response) => response.writeHead(200).end());
    const sentTo = (places: number[]) =>
      places.map((place) => ({ place, field: 'put_url', url: `${receiver.base}/${place}` }));
    const bodies = () =>
      receiver.received.splice(0).map(({ method, path, headers, body }) => ({
        method,
        path,
        type: headers['content-type'],
        length: headers['content-length'],
        body: body.toString(),
      }));

    test('all at once, with type and length; what the render costs is reserved until then', async () => {
      const payer = await kit.newPayer();
      const formats: OutputFormat[] = ['png', 'pdf', 'text'];
      const running = kit.render(payer, requestFor(formats, { puts: sentTo([0, 2]) }));
      await waitFor('both to arrive', () => held.length === 2);
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 1 });
      answerAll();
      const { outputs, page: receipt } = await running;
      assert.deepEqual(receipt, page, 'no warning');
      assert.deepEqual(
        bodies().toSorted((one, other) => one.path.localeCompare(other.path)),
        [0, 2].map((place) => ({
          method: 'PUT',
          path: `/${place}`,
          type: outputs[place]!.contentType,
          length: String(outputs[place]!.sizeBytes),
          body: contentOf(formats[place]!, place),
        })),
      );
      assert.deepEqual(await kit.books(payer), { used: 2, ledger: 2, leases: 0 });
    });

    test('bytes that are not hosted are sent and answered', async () => {
      receiver.answer((_, response) => void response.writeHead(200).end());
      const payer = await kit.newPayer();
      const request = requestFor(['png'], { isHosted: false, puts: sentTo([0]) });
      const { bytes, page: receipt } = await kit.render(payer, request);
      using blob = bytes!;
      assert.equal(String(Buffer.concat((await blob.stream.toArray()) as Buffer[])), contentOf('png', 0));
      assert.equal(bodies()[0]?.body, contentOf('png', 0));
      assert.deepEqual(receipt.warnings, page.warnings);
    });

    test('a lease outlives what is sent, also of a render that took all of its time', async () => {
      const payer = await kit.newPayer();
      // The longest wait and the longest render.
      kit.browser.before = async () => kit.clock.advance(120_000);
      const running = kit.render(payer, requestFor(['png'], { puts: sentTo([0]) }));
      await waitFor('it to arrive', () => held.length === 1);
      kit.browser.before = async () => {};
      // The longest wait for a transfer, and the longest transfer.
      await kit.clock.advance(40_000);
      await kit.slots.sweep();
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 1 });
      answerAll();
      await running;
      assert.deepEqual(await kit.books(payer), { used: 1, ledger: 1, leases: 0 });
    });

    test('a client that leaves while a file is sent pays for it', async () => {
      const payer = await kit.newPayer();
      const client = new AbortController();
      const request = requestFor(['png'], { puts: sentTo([0]) });
      const running = kit.renders.renderNow(payer, request, client.signal, async () => {}, createPhases());
      await waitFor('it to arrive', () => held.length === 1);
      client.abort(new Error('the client has left'));
      answerAll();
      await running;
      assert.deepEqual(await kit.books(payer), { used: 1, ledger: 1, leases: 0 });
    });

    test('50 warnings at most: those of the page give way', async () => {
      const payer = await kit.newPayer();
      const [warning] = page.warnings;
      const full = { ...page, warnings: Array.from({ length: 50 }, () => warning!) };
      kit.browser.page = full;
      const url = `https://${receiverAddress}:1/a?signature=secret`;
      const puts = [0, 1].map((place) => ({ place, field: `outputs[${place}].put_url`, url }));
      const finished = await kit.render(payer, requestFor(['png', 'pdf'], { puts })).finally(() => {
        kit.browser.page = page;
      });
      const { warnings } = finished.page;
      assert.deepEqual(warnings.slice(0, 48), full.warnings.slice(0, 48));
      assert.deepEqual(
        warnings.slice(48).map(({ code, message, url: shown }) => [code, message.split(':')[0], shown]),
        [0, 1].map((place) => ['request_failed', `outputs[${place}].put_url`, url.split('?')[0]]),
      );
      assert.equal(finished.units, 2);
      const { bytes: _bytes, quota: _quota, ...stored } = finished;
      assert.deepEqual(await kit.renderHistory.find(payer.accountId, finished.id), stored);
    });

    test('a commit that fails after it was sent leaves no file, no unit and no lease', async () => {
      receiver.answer((_, response) => void response.writeHead(200).end());
      const payer = await kit.newPayer();
      const before = await kit.keys();
      const request = requestFor(['png', 'pdf'], { puts: sentTo([0, 1]) });
      const broken = kit.render(payer, request, async () => {
        throw new Error('no');
      });
      await assert.rejects(broken, { message: 'no' });
      assert.equal(bodies().length, 2);
      assert.deepEqual(await kit.keys(), before);
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0 });
    });
  });
}

for (const engine of engines)
  test(`a queued render whose file is being sent is not canceled and not deleted, on ${engine.name}`, async () => {
    const [kit, receiver] = await Promise.all([openJobsKit(engine), startReceiver()]);
    try {
      const held: ServerResponse[] = [];
      receiver.answer((_, response) => void held.push(response));
      const payer = await kit.newPayer();
      const [runs, cancels] = [kit.machine(), kit.machine()];
      const puts = [{ place: 0, field: 'put_url', url: receiver.base }];
      const { id } = await runs.accept(payer, { request: requestFor(['png'], { puts }) });
      runs.open();
      await waitFor('it to arrive', () => held.length === 1);
      assert.deepEqual(await cancels.renderJobs.cancel(payer.accountId, [id]), []);
      assert.deepEqual(await cancels.hostedRenders.deleteOwned(payer.accountId, [id]), []);
      assert.equal(await cancels.state(payer, id), 'running');
      for (const response of held) response.writeHead(200).end();
      await kit.ended(runs, payer, id);
      assert.equal(await cancels.state(payer, id), 'succeeded');
      assert.equal((await kit.books(payer)).used, 1);
      assert.deepEqual(await cancels.hostedRenders.deleteOwned(payer.accountId, [id]), [id]);
    } finally {
      await kit.close();
      await receiver.close();
    }
  });

test('a database that fails before anything is sent: nothing is sent, and nothing is left', async () => {
  const receiver = await startReceiver();
  const kit = await openKit(engines[0]!, {
    wrapDatabase: (database) => ({
      ...database,
      tables: {
        ...database.tables,
        renderLeases: {
          ...database.tables.renderLeases,
          extend: () => Promise.reject(new Error('the database is down')),
        },
      },
    }),
  });
  try {
    const payer = await kit.newPayer();
    const puts = [{ place: 0, field: 'put_url', url: receiver.base }];
    await assert.rejects(kit.render(payer, requestFor(['png'], { puts })), {
      message: 'the database is down',
    });
    assert.deepEqual([receiver.received, await kit.keys()], [[], []]);
    assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0 });
  } finally {
    await kit.close();
    await receiver.close();
  }
});
