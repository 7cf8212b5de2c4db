// Postgres and S3 stopped and started again under load: what was answered how, and that the sums agree afterwards.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startFleet, type Fleet } from '#test/support/fleet.ts';
import { png } from '#test/support/images.ts';
import { bearer, formOf, post, type Answer, type ErrorBody } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';

type Uploaded = ErrorBody & { file_url: string };

const clients = 8;
const outageMs = 1_500;
/** Far above what an outage may cost a client; the figures that are printed are what it did cost. */
const slowestMs = 20_000;

describe('outages under load', () => {
  let fleet: Fleet;
  let image: Buffer;

  before(async () => {
    image = await png();
    fleet = await startFleet({ machines: 2 });
  });
  after(() => fleet?.stop());

  async function allAnswer(status: 200 | 503): Promise<boolean> {
    const answers = await Promise.all(fleet.machines.map(({ origin }) => fetch(`${origin}/readyz`)));
    return answers.every((answer) => answer.status === status);
  }

  for (const store of ['postgres', 's3'] as const) {
    test(`${store} away for ${outageMs} ms: 201 or 500 internal, then all is well and the sums agree`, async (context) => {
      const { key, accountId } = await fleet.newKey('business');
      const answers: { status: number; code: string; ms: number; fileUrl: string }[] = [];
      let isOver = false;

      async function client(origin: string): Promise<void> {
        while (!isOver) {
          const started = performance.now();
          const { status, body }: Answer<Uploaded> = await post(`${origin}/api/v1/upload`, {
            headers: bearer(key),
            body: formOf([[image, 'a.png']]),
          });
          const ms = performance.now() - started;
          answers.push({ status, code: body.error?.code ?? '', ms, fileUrl: body.file_url ?? '' });
          if (status >= 500) await delay(20);
        }
      }
      const load = Promise.all(
        Array.from({ length: clients }, (_, index) => client(fleet.machines[index % 2]?.origin ?? '')),
      );

      await waitFor('the load to be on', () => answers.length > 20);
      await fleet[store].pause();
      await waitFor('both machines to say so', () => allAnswer(503));
      await delay(outageMs);
      await fleet[store].resume();
      await waitFor('both machines to be back', () => allAnswer(200));
      const stored = () => answers.filter(({ status }) => status === 201);
      const before = stored().length;
      await waitFor('uploads to go on', () => stored().length > before + 20);
      isOver = true;
      await load;

      const failed = answers.filter(({ status }) => status === 500);
      assert.equal(answers.length, stored().length + failed.length, 'only 201 and 500 are answered');
      assert.ok(failed.length > 0, 'the outage was felt');
      assert.ok(failed.every(({ code }) => code === 'internal'));
      const times = failed.map(({ ms }) => ms).toSorted((a, b) => a - b);
      const slowest = Math.max(...answers.map(({ ms }) => ms));
      assert.ok(slowest < slowestMs, `an answer took ${Math.round(slowest)} ms`);

      const sums = await fleet.sums(accountId);
      assert.deepEqual(sums, { rows: stored().length, used: stored().length, ledger: stored().length });
      for (const { fileUrl } of stored().slice(-40)) {
        const served = await fetch(fleet.origin + new URL(fileUrl).pathname);
        assert.equal((await served.arrayBuffer()).byteLength, image.length);
      }
      context.diagnostic(
        `${answers.length} answers: ${stored().length} times 201, ${failed.length} times 500; ` +
          `a 500 took ${Math.round(times[Math.floor(times.length / 2)] ?? 0)} ms in the middle, ` +
          `the slowest answer ${Math.round(slowest)} ms; rows, counter and ledger all ${sums.rows}`,
      );
    });
  }
});
