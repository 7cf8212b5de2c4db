// Links: signed here or elsewhere, served to anyone, rendered once, and ended with their key. Spec 10.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { rawRequest } from '#test/support/raw-request.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { createLinkKeys } from '#accounts/link-keys.ts';
import { createPlans } from '#accounts/plans.ts';

let service: TestService;
let site: PageServer;
let closed: string;
let key: string;
let accountId: string;
let email: string;
let linkKey: string;
let secret: string;

before(async () => {
  site = await startPageServer({ '/': '<!doctype html><title>Hello</title><p>Hello' });
  const brief = await startPageServer();
  closed = brief.host;
  await brief.close();
  service = await startService({
    EGRESS_ALLOW: `${site.host},${closed}`,
    CONTENT_BASE_URL: 'http://files.tintype.test',
  });
  ({ key, accountId, email } = await service.newKey());
  const made = await keys().create(accountId, 'website');
  [linkKey, secret] = [made.row.id, made.secret];
});
after(async () => {
  await service.stop();
  await site.close();
});

const keys = () => createLinkKeys({ ...service, plans: createPlans() });
const sign = (payload: string, by = secret): string =>
  createHmac('sha256', by).update(`v2.${payload}`).digest('base64url');
const encode = (request: unknown): string => Buffer.from(JSON.stringify(request)).toString('base64url');
/** Signed as any program can. */
function pathOf(request: unknown): string {
  const payload = encode(request);
  return `/r/${linkKey}/${payload}/${sign(payload)}`;
}
const get = (path: string, init: RequestInit = {}) => fetch(service.origin + path, init);
async function errorOf(path: string) {
  const response = await get(path);
  const { error } = (await response.json()) as { error: Record<string, string> };
  return { status: response.status, headers: response.headers, error };
}
async function post(body: unknown) {
  const response = await fetch(`${service.origin}/api/v2/links`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { url: string; error: Record<string, string> };
  return { status: response.status, ...answer };
}
const visits = (path = '/'): number => site.seen.filter((line) => line === `GET ${path}`).length;
const maxAgeOf = (response: Response): number =>
  Number(/max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1]);

test('10.14 POST /api/v2/links signs with the newest key; equal requests have equal links, which anyone may open', async () => {
  const { status, url } = await post({ url: `${site.base}/`, max_age: 3600 });
  assert.equal(status, 200);
  assert.equal(new URL(url).origin, 'http://files.tintype.test');
  const { pathname } = new URL(url);
  const payload = encode({ max_age: 3600, url: `${site.base}/` });
  assert.equal(pathname, `/r/${linkKey}/${payload}/${sign(payload)}`);
  assert.equal((await post({ max_age: 3600, url: `${site.base}/` })).url, url);

  const before = visits();
  const first = await get(pathname);
  assert.deepEqual([first.status, first.headers.get('x-service-cache')], [200, 'miss']);
  assert.equal(first.headers.get('content-type'), 'image/png');
  assert.equal(first.headers.get('set-cookie'), null);
  assert.deepEqual(
    [
      'access-control-allow-origin',
      'cross-origin-resource-policy',
      'x-robots-tag',
      'x-content-type-options',
    ].map((name) => first.headers.get(name)),
    ['*', 'cross-origin', 'noindex', 'nosniff'],
  );
  assert.match(first.headers.get('content-security-policy') ?? '', /sandbox/);
  assert.ok(maxAgeOf(first) <= 3600 && maxAgeOf(first) > 3500);
  const bytes = Buffer.from(await first.arrayBuffer());
  await service.clock.advance(1_000_000);
  const again = await get(pathname);
  assert.equal(again.headers.get('x-service-cache'), 'hit');
  assert.equal(again.headers.get('age'), null, 'max-age is what is left');
  assert.ok(maxAgeOf(again) <= 2600);
  assert.ok(bytes.equals(Buffer.from(await again.arrayBuffer())));
  const etag = again.headers.get('etag') ?? '';
  const same = await get(pathname, { headers: { 'if-none-match': etag } });
  assert.deepEqual([same.status, same.headers.get('etag')], [304, etag]);
  assert.ok(maxAgeOf(same) <= 2600);
  const head = await get(pathname, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
  const onHost = await rawRequest(service.origin, 'GET', pathname, { host: 'files.tintype.test' });
  assert.equal(onHost.status, 200);
  assert.equal(visits(), before + 1);
});

test('10.14 the bots that make previews get a picture, by HEAD and by GET', async () => {
  const agents = [
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Twitterbot/1.0',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'WhatsApp/2.23.20.0 A',
  ];
  const path = pathOf({
    html: '<style>body{margin:0;background:#123;color:#fff;font:64px sans-serif}</style><h1>A card</h1>',
    viewport: { width: 1200, height: 630 },
  });
  const usedBefore = await used();
  for (const agent of agents) {
    const headers = { 'user-agent': agent, accept: '*/*' };
    const head = await get(path, { method: 'HEAD', headers });
    const picture = await get(path, { headers });
    const bytes = Buffer.from(await picture.arrayBuffer());
    assert.deepEqual([head.status, picture.status], [200, 200], agent);
    assert.equal(head.headers.get('content-length'), String(bytes.length));
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1200, 630]);
    assert.match(picture.headers.get('content-disposition') ?? '', /^inline/);
  }
  assert.equal(await used(), usedBefore + 1);
  const part = await get(path, { headers: { range: 'bytes=1-3' } });
  assert.deepEqual([part.status, await part.text()], [206, 'PNG']);
});

async function used(): Promise<number> {
  const response = await fetch(`${service.origin}/api/v2/usage`, { headers: bearer(key) });
  return ((await response.json()) as { render: { used: number } }).render.used;
}

test('10.14 an unknown or revoked key, a changed payload and a wrong signature look the same, and are counted', async () => {
  const good = { url: `${site.base}/`, format: 'text' };
  const payload = encode(good);
  const signature = sign(payload);
  const other = encode({ ...good, url: `${site.base}/other` });
  const { row, secret: theirs } = await keys().create(accountId, 'brief');
  const revoked = `/r/${row.id}/${payload}/${sign(payload, theirs)}`;
  assert.equal((await get(revoked)).status, 200);
  await keys().revoke(accountId, row.id);
  const unknown = `lk_${'0'.repeat(20)}`;
  const wrong = [
    revoked,
    `/r/${unknown}/${payload}/${signature}`,
    `/r/${unknown}/${payload}/${sign(payload, '')}`,
    `/r/nonsense/${payload}/${signature}`,
    `/r/${linkKey}/${other}/${signature}`,
    `/r/${linkKey}/${payload}/${sign(payload, 'guess')}`,
    `/r/${linkKey}/${payload}/${signature.slice(0, -1)}`,
    `/r/${linkKey}/${payload}/${signature}=`,
    `/r/${linkKey}/${payload}/${signature}/more`,
    `/r/${linkKey}/${payload}A/${signature}`,
    `/r/${linkKey}/${payload}`,
    `/r/${linkKey}//`,
    `/r/%00/a/b`,
  ];
  // They are the first of a minute.
  await service.clock.advance(60_000);
  const answers = await Promise.all(wrong.map(errorOf));
  for (const [place, { status, error, headers }] of answers.entries()) {
    assert.deepEqual(
      [status, error['code'], error['retryable'], headers.get('cache-control')],
      [404, 'not_found', false, 'no-store'],
      wrong[place] ?? '',
    );
    assert.equal(error['message'], answers[0]!.error['message']);
    assert.ok(headers.has('x-service-ratelimit-remaining'), 'a wrong link spends the budget of its address');
  }
  const left = answers.map(({ headers }) => Number(headers.get('x-service-ratelimit-remaining')));
  assert.equal(Math.max(...left) - Math.min(...left), wrong.length - 1);
  assert.equal((await get(pathOf(good))).status, 200);
});

test('10.14 what is signed but wrong is a 422 that names the field', async () => {
  const url = `${site.base}/`;
  const cases: [request: unknown, field: string][] = [
    [{ url, headers: { a: 'b' } }, 'headers'],
    [{ url, cookies: [] }, 'cookies'],
    [{ url, basic_auth: { username: 'a', password: 'b' } }, 'basic_auth'],
    [{ url, script: 'return 1' }, 'script'],
    [{ url, put_url: 'https://example.com/' }, 'put_url'],
    [{ url, format: 'pdf', password: 'secret' }, 'password'],
    [{ url, outputs: [{ format: 'pdf', password: 'secret' }] }, 'outputs[0].password'],
    [{ url, response: 'file' }, 'response'],
    [{ url, expires_in: 60 }, 'expires_in'],
    [{ url, max_age: 59 }, 'max_age'],
    [{ url, max_age: 2_592_001 }, 'max_age'],
    [{ url, valid_until: 'tomorrow' }, 'valid_until'],
    [{ url, outputs: [{}, { format: 'pdf' }] }, 'outputs'],
    [{ url, quality: 50 }, 'quality'],
    [{ url, colour: 'red' }, 'colour'],
    [{}, 'url'],
    [{ url: 'http://localhost/' }, 'url'],
    ['text', 'body'],
  ];
  for (const [request, field] of cases) {
    const { status, error } = await errorOf(pathOf(request));
    assert.deepEqual([status, error['code'], error['field']], [422, 'validation_error', field]);
    const posted = await post(request);
    assert.deepEqual([posted.status, posted.error['field']], [422, field], field);
    if (field === 'valid_until')
      assert.match(String(error['message']), /a date and time such as .*, or null/);
  }
  const garbage = Buffer.from('{').toString('base64url');
  const { status, error } = await errorOf(`/r/${linkKey}/${garbage}/${sign(garbage)}`);
  assert.deepEqual([status, error['field']], [422, 'payload']);
  const past = new Date(service.clock.now()).toISOString();
  assert.equal((await post({ url, valid_until: past })).status, 422);
});

test('10.14 a payload has at most 8,192 characters', async () => {
  const sized = (characters: number) => {
    const request = { html: '', format: 'text' };
    return { ...request, html: 'x'.repeat((characters * 3) / 4 - JSON.stringify(request).length) };
  };
  const largest = pathOf(sized(8192));
  assert.equal(largest.split('/')[3]?.length, 8192);
  assert.equal((await get(largest)).status, 200);
  const { status, error } = await errorOf(pathOf(sized(8196)));
  assert.deepEqual([status, error['field']], [422, 'payload']);
  assert.equal((await post(sized(8192))).status, 200);
  assert.equal((await post(sized(8196))).error['field'], 'body');
});

test('10.14 a link ends at valid_until, and nothing keeps it longer', async () => {
  const until = service.clock.now() + 120_000;
  const path = pathOf({ url: `${site.base}/`, format: 'jpeg', valid_until: new Date(until).toISOString() });
  assert.ok(maxAgeOf(await get(path)) <= 120);
  await service.clock.advance(120_000);
  const { status, error } = await errorOf(path);
  assert.deepEqual([status, error['code'], error['field']], [404, 'not_found', 'valid_until']);
});

test('10.14 a document is downloaded, in a sandbox', async () => {
  const page = await get(pathOf({ url: `${site.base}/`, format: 'html' }));
  assert.match(page.headers.get('content-disposition') ?? '', /^attachment/);
  assert.match(page.headers.get('content-security-policy') ?? '', /sandbox/);
  assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
});

test('10.14 a failure is remembered for a minute, and may be kept as long by others', async () => {
  const path = pathOf({ url: `http://${closed}/` });
  const first = await errorOf(path);
  assert.deepEqual(
    [first.status, first.error['code'], first.error['reason']],
    [502, 'render_failed', 'unreachable'],
  );
  assert.equal(first.headers.get('cache-control'), 'public, max-age=60');
  await service.clock.advance(30_000);
  const second = await errorOf(path);
  assert.equal(second.error['message'], first.error['message']);
  assert.match(second.headers.get('cache-control') ?? '', /^public, max-age=(?:30|2\d)$/);
  const failures = () =>
    service.database.connection
      .selectFrom('renders')
      .select('id')
      .where('account_id', '=', accountId)
      .where('failure', 'is not', null)
      .execute();
  assert.equal((await failures()).length, 1);
  await service.clock.advance(30_000);
  await errorOf(path);
  assert.equal((await failures()).length, 2);
});

test('10.14 when the page fails, the last good result is served as stale', async () => {
  const route = '/sometimes';
  site.route(route, '<p>Good');
  const path = pathOf({ url: site.base + route, max_age: 120, fail_on: ['http_error'] });
  const good = Buffer.from(await (await get(path)).arrayBuffer());
  site.route(route, (_request, response) => void response.writeHead(503).end());
  await service.clock.advance(121_000);
  const stale = await get(path);
  assert.deepEqual([stale.status, stale.headers.get('x-service-cache')], [200, 'stale']);
  assert.equal(maxAgeOf(stale), 60);
  assert.ok(good.equals(Buffer.from(await stale.arrayBuffer())));
  assert.equal((await get(path)).headers.get('x-service-cache'), 'stale');
  assert.equal(visits(route), 2, 'the failure is remembered');
  site.route(route, '<p>Good again');
  await service.clock.advance(61_000);
  assert.equal((await get(path)).headers.get('x-service-cache'), 'miss');
});

test('10.14 a suspended account has no links; one without a key gets one with its first link', async () => {
  const path = pathOf({ url: `${site.base}/` });
  await service.accounts.update(email, { suspended: true });
  assert.equal((await get(path)).status, 404);
  await service.accounts.update(email, { suspended: false });
  assert.equal((await get(path)).status, 200);
  const other = await service.newKey();
  const answers = await Promise.all(
    [1, 2, 3].map(async () => {
      const response = await fetch(`${service.origin}/api/v2/links`, {
        method: 'POST',
        headers: { ...bearer(other.key), 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${site.base}/`, format: 'text' }),
      });
      return ((await response.json()) as { url: string }).url;
    }),
  );
  assert.equal(new Set(answers).size, 1, 'one key');
  assert.equal((await get(new URL(answers[0]!).pathname)).status, 200);
  const listed = await service.database.tables.ownedBy(other.accountId).linkKeys.list();
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['API'],
  );
  assert.ok(!JSON.stringify(listed).includes('lksec_'), 'its secret is sealed');
});
