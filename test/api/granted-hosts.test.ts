// Private hosts that the owner grants to one account: what its renders then reach, what they still do not, and that nobody else can use
// the grant. v2 4.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseGrants } from '#wall/grants.ts';
import { createEgressRules } from '#wall/rules.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';

let service: TestService;
/** Open to everyone. */
let site: PageServer;
/** Private. */
let wiki: PageServer;
let owner: Awaited<ReturnType<typeof signedInVisitor>>;

before(async () => {
  wiki = await startPageServer(
    { '/': '<!doctype html><title>Wiki</title><p>internal', '/style.css': '' },
    { address: '127.0.0.3' },
  );
  site = await startPageServer({
    '/to-wiki': (_, response) => void response.writeHead(302, { location: `${wiki.base}/?redirected` }).end(),
    '/page': `<!doctype html><img src="${wiki.base}/?image"><iframe src="${wiki.base}/?frame"></iframe><script>fetch('${wiki.base}/?fetched', { mode: 'no-cors' })</script>`,
  });
  service = await startService({ EGRESS_ALLOW: site.host });
  owner = await signedInVisitor(service, { owner: true });
});
after(async () => {
  await service.stop();
  await Promise.all([site.close(), wiki.close()]);
});

interface Answered {
  status: number;
  message: string;
  text: string;
}

async function call(key: string, path: string, body: object): Promise<Answered> {
  const response = await fetch(`${service.origin}${path}`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const { error } = (response.ok ? {} : JSON.parse(text)) as { error?: { message: string } };
  return { status: response.status, message: error?.message ?? '', text };
}
const textOf = (key: string, url: string, more = {}) =>
  call(key, '/api/v2/renders', { url, format: 'text', ...more });

const grant = (id: string, allowed_hosts: string) =>
  owner.call('PATCH /admin/accounts/:id', { id, body: { allowed_hosts } });
const requestsWith = (mark: string) => wiki.seen.filter((line) => line.includes(mark)).length;

test('the account reaches that host and port: as a target, by a redirect and from a page; nobody else does', async () => {
  const [granted, stranger] = [await service.newKey(), await service.newKey()];
  assert.match((await textOf(granted.key, wiki.base)).message, /must be a public address/);
  const { body } = await grant(granted.accountId, wiki.host);
  assert.deepEqual(body.allowed_hosts, [wiki.host]);

  assert.deepEqual(await textOf(granted.key, wiki.base), { status: 200, message: '', text: 'internal' });
  assert.equal((await call(granted.key, '/api/v1/screenshot', { url: wiki.base })).status, 200);
  assert.equal((await textOf(granted.key, `${site.base}/to-wiki`)).text, 'internal');
  await textOf(granted.key, `${site.base}/page`);
  for (const mark of ['?image', '?frame', '?fetched']) assert.equal(requestsWith(mark), 1, mark);

  // In the same worker as before, and at the same time as the account that may.
  const seen = wiki.seen.length;
  const [refused, redirected, page] = await Promise.all([
    textOf(stranger.key, wiki.base),
    textOf(stranger.key, `${site.base}/to-wiki`),
    textOf(stranger.key, `${site.base}/page`),
    textOf(granted.key, `${site.base}/page?own`),
  ]);
  assert.deepEqual([refused.status, redirected.status, page.status], [422, 502, 200]);
  // The image, the frame and the fetch of the account's own page, and nothing of the stranger's.
  assert.equal(wiki.seen.length - seen, 3);
});

test('a grant is for pages only, for its port only, and ends with the next request', async () => {
  const { key, accountId } = await service.newKey();
  await grant(accountId, wiki.host);
  const otherPort = wiki.base.replace(/\d+$/, (port) => String(Number(port) - 1));
  assert.equal((await textOf(key, otherPort)).status, 422);
  const https = wiki.base.replace('http:', 'https:');
  const put = await textOf(key, site.base, { put_url: `${https}/put` });
  assert.deepEqual([put.status, put.message.startsWith('put_url: must be a public address')], [422, true]);
  const upload = await call(key, '/api/v2/uploads', { url: `${wiki.base}/?upload` });
  assert.deepEqual([upload.status, requestsWith('?upload')], [422, 0]);
  await grant(accountId, '');
  assert.equal((await textOf(key, wiki.base)).status, 422);
});

test('what the cache and links show of a private host ends with its grant', async () => {
  const { key, accountId } = await service.newKey();
  await grant(accountId, wiki.host);
  const request = { url: `${site.base}/to-wiki`, format: 'text', max_age: 3_600 };
  const cached = () => call(key, '/api/v2/renders', request);
  const made = await call(key, '/api/v2/links', request);
  assert.equal(made.status, 200, made.text);
  const link = new URL((JSON.parse(made.text) as { url: string }).url);
  const linked = async () => {
    const answer = await fetch(service.origin + link.pathname);
    return { status: answer.status, text: await answer.text() };
  };
  const asked = requestsWith('?redirected');
  assert.deepEqual([(await cached()).text, (await linked()).text], ['internal', 'internal']);
  assert.deepEqual([(await cached()).text, requestsWith('?redirected') - asked], ['internal', 1]);
  await grant(accountId, '');
  for (const { status, text } of [await cached(), await linked()]) {
    assert.equal(status, 502, text);
    assert.ok(!text.includes('internal'));
  }
  await grant(accountId, wiki.host);
  assert.equal((await cached()).text, 'internal');
});

test('the audit log shows each grant, and what cannot be granted is refused', async () => {
  const person = await signedInVisitor(service);
  await grant(person.accountId, ' Wiki.Corp:443, 10.0.0.5:8443 ');
  const { body } = await owner.call('GET /admin/audit');
  const [last] = body.items;
  assert.deepEqual(
    [last?.actor, last?.action, last?.target, last?.detail],
    [owner.email, 'account.update', person.email, { allowedHosts: ' Wiki.Corp:443, 10.0.0.5:8443 ' }],
  );
  for (const hosts of [
    'wiki.corp',
    '10.0.0.0/8:443',
    '169.254.169.254:80',
    '[::ffff:169.254.169.254]:80',
    '[fe80::1]:80',
    'https://wiki.corp:443',
    'wiki.corp:0',
    ',',
  ])
    assert.equal((await grant(person.accountId, hosts)).status, 422, hosts);
  assert.equal(
    (
      await person.call('PATCH /admin/accounts/:id', {
        id: person.accountId,
        body: { allowed_hosts: 'a.corp:1' },
      })
    ).status,
    404,
  );
});

test('a granted name does not lead to the metadata of the cloud', async () => {
  const rules = (address: string) =>
    createEgressRules({ allow: parseGrants('wiki.corp:443'), lookup: () => Promise.resolve([{ address }]) });
  const kindOf = async (address: string, port = 443) => (await rules(address).decide('wiki.corp', port)).kind;
  assert.deepEqual([await kindOf('10.0.0.7'), await kindOf('10.0.0.7', 444)], ['allowed', 'denied']);
  for (const address of [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    '64:ff9b::a9fe:a9fe',
  ])
    assert.equal(await kindOf(address), 'denied', address);
});
