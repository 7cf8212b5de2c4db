// A key's own quota: exact under concurrency, for uploads and renders, within that of the account. Decision 81.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { booksOf } from '#test/support/books.ts';
import * as images from '#test/support/images.ts';
import { startRenders, type RenderKit } from '#test/metering/render-kit.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import type { TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';

interface Failed {
  error: { code: string; message: string };
}

let service: TestService;
let site: RenderKit['site'];
let stop: RenderKit['stop'];
let picture: Buffer;
/** Responses that the test holds back, so that renders stay in progress. */
const held: ServerResponse[] = [];

before(async () => {
  picture = await images.png();
  ({ service, site, stop } = await startRenders({
    '/quick': '<!doctype html><p>quick',
    '/held': (_request, response) => void held.push(response),
  }));
});
after(() => stop());

async function newKeys(plan: string, own: { uploadsPerMonth?: number; rendersPerMonth?: number }) {
  const { key: whole, accountId, email } = await service.newKey({ plan });
  const { key: limited, id } = await service.accounts.createKey(email, 'limited', own);
  return { whole, limited, id, accountId };
}

const upload = (key: string) =>
  post<Failed>(`${service.origin}/api/v1/upload`, {
    body: formOf([[picture, 'a.png']]),
    headers: bearer(key),
  });

const json = (key: string) => ({ ...bearer(key), 'content-type': 'application/json' });

const shoot = (key: string, path: string) =>
  post<Failed>(`${service.origin}/api/v1/screenshot`, {
    headers: json(key),
    body: JSON.stringify({ url: site.base + path, width: 320, height: 320, response: 'json' }),
  });

const queue = (key: string) =>
  post<Failed>(`${service.origin}/api/v2/renders`, {
    headers: json(key),
    body: JSON.stringify({ html: '<p>later', async: true }),
  });

test('100 parallel uploads by a key with a quota of 7: 7 stored; the other keys of the account go on', async () => {
  const { whole, limited, accountId } = await newKeys('fifty-uploads', { uploadsPerMonth: 7 });
  const answers = await Promise.all(Array.from({ length: 100 }, () => upload(limited)));
  const refused = answers.filter(({ status }) => status === 402);
  assert.deepEqual([answers.filter(({ status }) => status === 201).length, refused.length], [7, 93]);
  for (const { body, headers } of refused) {
    assert.equal(body.error.code, 'quota_exceeded');
    assert.match(body.error.message, /^This API key's own monthly quota of 7 upload units is used up\./);
    assert.deepEqual(
      [headers.get('x-service-quota-limit'), headers.get('x-service-quota-remaining')],
      ['7', '0'],
    );
  }
  assert.equal((await upload(whole)).headers.get('x-service-quota-remaining'), '42');
  assert.deepEqual((await booksOf(service, accountId)).counter, { used: 8, overage: 0 });
});

test('a batch stores as many as the key has left', async () => {
  const { limited } = await newKeys('fifty-uploads', { uploadsPerMonth: 2 });
  const { status, body } = await post<{ items: { ok: boolean; error?: { message: string } }[] }>(
    `${service.origin}/api/v1/upload/batch`,
    { body: formOf(['a', 'b', 'c'].map((name) => [picture, `${name}.png`])), headers: bearer(limited) },
  );
  assert.equal(status, 207);
  assert.deepEqual(
    body.items.map(({ ok }) => ok),
    [true, true, false],
  );
  assert.match(body.items[2]?.error?.message ?? '', /^This API key's own monthly quota of 2/);
});

test("the account's quota ends first if it is smaller", async () => {
  const { limited } = await newKeys('two-uploads', { uploadsPerMonth: 5 });
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await upload(limited)).status);
  assert.deepEqual(statuses, [201, 201, 402]);
  assert.match(
    (await upload(limited)).body.error.message,
    /^The monthly quota of 2 upload units is used up\./,
  );
});

test('renders in progress and queued ones count against the quota of their key', async () => {
  const { whole, limited } = await newKeys('business', { rendersPerMonth: 2 });
  const running = shoot(limited, '/held');
  await waitFor('the page to be asked for', () => held.length === 1);
  const queued = await queue(limited);
  assert.equal(queued.status, 202);
  for (const refused of [await shoot(limited, '/quick'), await queue(limited)]) {
    assert.equal(refused.status, 402);
    assert.match(
      refused.body.error.message,
      /^This API key's own monthly quota of 2 render units is used up\./,
    );
  }
  assert.equal((await shoot(whole, '/quick')).status, 200);
  held.pop()?.setHeader('content-type', 'text/html').end('<p>held');
  assert.equal((await running).status, 200);
  assert.equal((await shoot(limited, '/quick')).status, 402);
});

test('the quota of a key is full again with the next month, and may be 0', async () => {
  const { limited } = await newKeys('fifty-uploads', { uploadsPerMonth: 1, rendersPerMonth: 0 });
  service.clock.hold();
  assert.equal((await shoot(limited, '/quick')).status, 402);
  assert.deepEqual([(await upload(limited)).status, (await upload(limited)).status], [201, 402]);
  const now = new Date(service.clock.now());
  await service.clock.advance(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime());
  assert.deepEqual([(await upload(limited)).status, (await upload(limited)).status], [201, 402]);
});
