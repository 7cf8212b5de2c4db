// The tokenized delete URL. Spec 2.1, 3, 5.5. docs/decisions/0001 has the table of methods.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne } from '#test/support/uploading.ts';

let service: TestService;
let key: string;
before(async () => {
  service = await startService();
  ({ key } = await service.newKey());
});
after(() => service.stop());

const call = async (method: string, url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method,
    headers: { accept: '*/*', 'user-agent': 'curl/8.5.0', ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const isThere = async (url: string): Promise<boolean> => {
  const { status } = await call('GET', url);
  assert.ok(status === 200 || status === 404);
  return status === 200;
};
const browser = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0 Firefox/140.0',
};

describe('5.5 deletes at once, without further authentication, and confirms it', () => {
  for (const [name, method, headers] of [
    ['POST', 'POST', {}],
    ['DELETE', 'DELETE', {}],
    ['GET by curl', 'GET', {}],
    ['GET by a script', 'GET', { 'user-agent': 'python-requests/2.32', accept: 'application/json' }],
    ['GET without a user agent', 'GET', { 'user-agent': '' }],
    ...[
      'curl/8.14.1',
      'Wget/1.25.0',
      'Go-http-client/2.0',
      'Google-HTTP-Java-Client/1.46.3 (gzip)',
      'ShareX/17.0.0',
    ].map((agent) => [`GET by ${agent}`, 'GET', { 'user-agent': agent, accept: '*/*' }] as const),
    ['POST with a body that nobody asked for', 'POST', { 'content-type': 'application/json' }],
    ['POST with a Content-Type that is none', 'POST', { 'content-type': 'no type' }],
    ['DELETE with an empty Content-Type', 'DELETE', { 'content-type': '' }],
  ] as const) {
    test(name, async () => {
      const upload = await uploadOne(service.origin, key);
      const { status, headers: answered, text } = await call(method, upload.deleteAt, headers);
      assert.equal(status, 200);
      assert.deepEqual(JSON.parse(text), { id: upload.id, deleted: true });
      assert.equal(answered.get('cache-control'), 'no-store');
      assert.equal(answered.get('referrer-policy'), 'no-referrer');
      assert.equal(await isThere(upload.fileAt), false);
      assert.equal(await isThere(upload.pageAt), false);
    });
  }
  test('POST from the confirmation form: a page says that it is deleted', async () => {
    const upload = await uploadOne(service.origin, key);
    const { status, text } = await call('POST', upload.deleteAt, browser);
    assert.equal(status, 200);
    assert.match(text, /<h1>Deleted<\/h1>/);
    assert.equal(await isThere(upload.fileAt), false);
  });
});

describe('asks first, and deletes nothing', () => {
  const visits: [string, Record<string, string>][] = [
    ['a person with a browser', browser],
    ['a prefetch', { 'sec-purpose': 'prefetch;prerender' }],
    ['an older prefetch', { purpose: 'prefetch' }],
    ['an old Firefox prefetch', { 'x-moz': 'prefetch' }],
    ['a preview of an old Safari', { 'x-purpose': 'preview' }],
    ...[
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
      'Twitterbot/1.0',
      'facebookexternalhit/1.1',
      'WhatsApp/2.23.20.0',
      'TelegramBot (like TwitterBot)',
      'LinkedInBot/1.0',
      'Mozilla/5.0 (compatible; Googlebot/2.1)',
      'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
      'Mastodon/4.2.0 (http.rb/5.1.1)',
      'Iframely/1.3.1',
      'Embedly/0.2',
      'Mozilla/5.0 (compatible; bingbot/2.0)',
      'Mozilla/5.0 (Macintosh) AppleWebKit (Applebot/0.1)',
      'Signal-Link-Preview',
      'Viber/22.0',
      'facebookexternalhit/1.1;line-poker/1.0',
      'facebookexternalhit/1.1; kakaotalk-scrap/1.0',
      'Tumblr/14.0.835.186',
      'Bluesky Cardyb/1.1; +mailto:support@bsky.app',
      'Misskey/2024.11.0 (https://misskey.example)',
      'Synapse (bot; +https://github.com/matrix-org/synapse)',
      'Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)',
      'Discourse Forum Onebox v3.3.0',
      'Pinterest/0.2 (+https://www.pinterest.com/)',
    ].map((agent): [string, Record<string, string>] => [agent, { 'user-agent': agent }]),
  ];
  for (const [name, headers] of visits) {
    test(name, async () => {
      const upload = await uploadOne(service.origin, key, { filename: '<b>mine</b>.png' });
      const { status, text, headers: answered } = await call('GET', upload.deleteAt, headers);
      assert.equal(status, 200);
      assert.match(text, /<form method="post">/);
      assert.doesNotMatch(text, /<b>mine/);
      assert.match(answered.get('content-security-policy') ?? '', /form-action 'self'/);
      assert.equal(answered.get('cache-control'), 'no-store');
      assert.equal(await isThere(upload.fileAt), true);
    });
  }
  test('HEAD', async () => {
    const upload = await uploadOne(service.origin, key);
    const { status, text } = await call('HEAD', upload.deleteAt);
    assert.deepEqual([status, text], [200, '']);
    assert.equal(await isThere(upload.fileAt), true);
  });
  test('any other method', async () => {
    const upload = await uploadOne(service.origin, key);
    for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await call(method, upload.deleteAt);
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, POST, DELETE']);
    }
    assert.equal(await isThere(upload.fileAt), true);
  });
});

describe('wrong token, unknown, deleted and expired: the same 404', () => {
  const refused: [string, () => Promise<string>][] = [
    ['a wrong token', async () => (await uploadOne(service.origin, key)).deleteAt.slice(0, -1) + '!'],
    ['a token that is cut', async () => (await uploadOne(service.origin, key)).deleteAt.slice(0, -1)],
    ['no token', async () => (await uploadOne(service.origin, key)).deleteAt.split('?')[0]!],
    ['an empty token', async () => `${(await uploadOne(service.origin, key)).deleteAt.split('=')[0]!}=`],
    [
      'the token twice',
      async () => {
        const { deleteAt } = await uploadOne(service.origin, key);
        return `${deleteAt}&${deleteAt.split('?')[1]}`;
      },
    ],
    [
      "another upload's token",
      async () => {
        const [one, two] = [await uploadOne(service.origin, key), await uploadOne(service.origin, key)];
        return `${one.deleteAt.split('?')[0]}?${two.deleteAt.split('?')[1]}`;
      },
    ],
    ['an unknown upload', async () => `${service.origin}/api/uploads/AAAAAAAAAAAAAAAAAAAA/delete?token=x`],
    ['an id of nonsense', async () => `${service.origin}/api/uploads/%00%F0%9F%8F%94/delete?token=%00`],
    [
      'a deleted upload',
      async () => {
        const { deleteAt } = await uploadOne(service.origin, key);
        await call('POST', deleteAt);
        return deleteAt;
      },
    ],
    [
      'an expired upload',
      async () => {
        const { deleteAt } = await uploadOne(service.origin, key, { fields: { expires_in: '60' } });
        await service.clock.advance(60_000);
        return deleteAt;
      },
    ],
  ];
  for (const [name, make] of refused) {
    test(name, async () => {
      const url = await make();
      for (const method of ['POST', 'DELETE', 'GET', 'HEAD']) {
        const { status, text } = await call(method, url);
        assert.equal(status, 404, method);
        if (method !== 'HEAD') {
          assert.deepEqual(JSON.parse(text), {
            error: {
              code: 'not_found',
              message:
                'There is nothing at this address. It was deleted, has expired, or the token is wrong.',
            },
          });
        }
      }
      const page = await call('GET', url, browser);
      assert.equal(page.status, 404);
      assert.match(page.text, /<h1>Nothing here<\/h1>/);
      assert.doesNotMatch(page.text, /<form/);
    });
  }
});

test('of many deletes at once, one wins', async () => {
  const upload = await uploadOne(service.origin, key);
  const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', upload.deleteAt)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 404).length, 7);
});

test('8 deleting does not refund a unit', async () => {
  const owner = await service.newKey();
  const upload = await uploadOne(service.origin, owner.key);
  await call('POST', upload.deleteAt);
  const { used } = await service.database.tables.usage.sumOfLedger({
    accountId: owner.accountId,
    unit: 'upload',
    month: new Date(service.clock.now()).toISOString().slice(0, 7),
  });
  assert.equal(used, 1);
});
