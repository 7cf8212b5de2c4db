// GET /i/<slug> and /oembed: markup, headers, and names that try to break out of the markup. Spec 2.1.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { newId, newSlug } from '#core/ids.ts';
import * as images from '#test/support/images.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { storeRender } from '#test/support/stored-render.ts';
import { uploadOne } from '#test/support/uploading.ts';

let service: TestService;
let key: string;
before(async () => {
  service = await startService();
  ({ key } = await service.newKey());
});
after(() => service.stop());

const page = async (url: string) => {
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  return { status: response.status, headers: response.headers, markup: await response.text() };
};
const unescape = (text: string): string =>
  text.replace(/&#(\d+);/g, (_match, code: string) => String.fromCharCode(Number(code)));
const meta = (markup: string, name: string): string | undefined => {
  const found = new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(markup)?.[1];
  return found === undefined ? undefined : unescape(found);
};
const copied = (markup: string, id: string): string => {
  const found = new RegExp(`<input id="copy-${id}" readonly value="([^"]*)"`).exec(
    markup.replaceAll(/\s+/g, ' '),
  )?.[1];
  assert.ok(found !== undefined, `no copy row ${id}`);
  return unescape(found);
};

test('2.1 the share page shows the image and describes it to chats, with true dimensions', async () => {
  const upload = await uploadOne(service.origin, key, {
    bytes: await images.png(321, 123),
    filename: 'holiday.png',
  });
  const { status, headers, markup } = await page(upload.pageAt);
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/html; charset=utf-8/);
  const expected = {
    'og:title': 'holiday.png',
    'og:url': upload.url,
    'og:image': upload.file_url,
    'og:image:type': 'image/png',
    'og:image:width': '321',
    'og:image:height': '123',
    'og:image:alt': 'holiday.png',
    'twitter:card': 'summary_large_image',
    'twitter:title': 'holiday.png',
    'twitter:image': upload.file_url,
  };
  assert.deepEqual(
    Object.fromEntries(Object.keys(expected).map((name) => [name, meta(markup, name)])),
    expected,
  );
  assert.match(markup, new RegExp(`src="/f/${upload.slug}"`));
  assert.match(markup, /width="321" height="123"/);
  assert.match(markup, /321 × 123/);
  assert.match(markup, new RegExp(`href="/f/${upload.slug}\\?download=1"`));
  assert.match(markup, /<dt>Expires<\/dt>\s*<dd>\s*never/);
});

test('an upload with a title is shown by it, and downloaded by its filename', async () => {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(await images.png())]), 'img_0001.png');
  form.append('title', ' The "old" harbour\u202e <b>');
  const answer = await fetch(`${service.origin}/api/v2/uploads`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${key}` },
  });
  const upload = (await answer.json()) as { slug: string; url: string };
  const { markup } = await page(`${service.origin}/i/${upload.slug}`);
  const title = 'The "old" harbour <b>';
  assert.equal(unescape(/<h1[^>]*>(.*?)<\/h1>/.exec(markup)?.[1] ?? ''), title);
  assert.deepEqual([meta(markup, 'og:title'), meta(markup, 'twitter:title')], [title, title]);
  assert.match(markup, /download="img_0001\.png"/);
  const oembed = await fetch(`${service.origin}/oembed?url=${encodeURIComponent(upload.url)}`);
  assert.equal(((await oembed.json()) as { title: string }).title, title);
});

test('a large picture is offered in several widths, none of them larger than it is; a small one is not', async () => {
  const candidatesOf = async (
    width: number,
    height: number,
    sizeBytes: number,
    contentType = 'image/jpeg',
  ) => {
    const { id } = await uploadOne(service.origin, key, {});
    const {
      owner_suspended: _,
      owner_webhook_events: _events,
      ...row
    } = (await service.database.tables.uploads.byId(id))!;
    const [slug, more] = [newSlug(), { width, height, size_bytes: sizeBytes, content_type: contentType }];
    await service.database.tables.uploads.insert({ ...row, ...more, id: newId(), slug });
    const { markup } = await page(`${service.origin}/i/${slug}`);
    return /srcset="([^"]*)"/.exec(markup)?.[1]?.replaceAll(`/f/${slug}?width=`, '');
  };
  const large = 3_000_000;
  assert.equal(await candidatesOf(4_000, 3_000, large), '640 640w, 1280 1280w, 1920 1920w, 2560 2560w');
  assert.equal(await candidatesOf(1_500, 1_000, large), '640 640w, 1280 1280w, 1920 1500w');
  assert.equal(await candidatesOf(500, 500, large), '640 500w');
  assert.equal(await candidatesOf(4_000, 3_000, 300_000), undefined);
  assert.equal(await candidatesOf(9_000, 9_000, large), undefined, 'too many pixels');
  assert.equal(await candidatesOf(4_000, 3_000, large, 'image/svg+xml'), undefined);
});

test('an SVG is described to chats with a picture of it, which is made once and deleted with it', async () => {
  const upload = await uploadOne(service.origin, key, { bytes: images.svg(), filename: 'logo.svg' });
  const { markup } = await page(upload.pageAt);
  const expected = {
    'og:image': `${upload.file_url}/preview.png`,
    'og:image:type': 'image/png',
    'og:image:width': '1280',
    'og:image:height': '960',
    'twitter:card': 'summary_large_image',
  };
  assert.deepEqual(
    Object.fromEntries(Object.keys(expected).map((name) => [name, meta(markup, name)])),
    expected,
  );
  const at = `${service.origin}/f/${upload.slug}/preview.png`;
  const response = await fetch(at);
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png']);
  const { data, info } = await sharp(await response.arrayBuffer())
    .raw()
    .toBuffer({ resolveWithObject: true });
  assert.deepEqual([info.width, info.height], [1280, 960]);
  const pixelAt = (x: number, y: number) => data[(y * info.width + x) * info.channels];
  assert.deepEqual([pixelAt(20, 20), pixelAt(1_270, 950)], [0, 255], 'a black box on white');
  const { keysOf } = service.database.tables.variants;
  assert.equal((await keysOf([upload.id])).get(upload.id)?.length, 1);

  const picture = await uploadOne(service.origin, key, {});
  assert.equal((await fetch(`${service.origin}/f/${picture.slug}/preview.png`)).status, 404);
  await service.database.tables.uploads.markDeleted(upload.id, service.clock.now());
  assert.equal((await fetch(at)).status, 404);
});

test('the five ways to share are there to copy', async () => {
  const upload = await uploadOne(service.origin, key, { filename: 'a [b] c.png' });
  const { markup } = await page(upload.pageAt);
  assert.deepEqual(
    ['page-link', 'direct-link', 'markdown', 'html', 'bbcode'].map((id) => copied(markup, id)),
    [
      upload.url,
      upload.file_url,
      `[![a \\[b\\] c.png](${upload.file_url})](${upload.url})`,
      `<a href="${upload.url}"><img src="${upload.file_url}" alt="a [b] c.png" /></a>`,
      `[url=${upload.url}][img]${upload.file_url}[/img][/url]`,
    ],
  );
});

test('an upload that expires says when', async () => {
  const upload = await uploadOne(service.origin, key, { fields: { expires_in: '7200' } });
  const { markup } = await page(upload.pageAt);
  assert.ok(markup.includes(`datetime="${upload.expires_at}"`));
  assert.match(markup, /in 2 hours/);
});

test('no inline script and no inline style, and a policy that allows none', async () => {
  const { pageAt } = await uploadOne(service.origin, key, {});
  const { headers, markup } = await page(pageAt);
  const policy = headers.get('content-security-policy') ?? '';
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]) {
    assert.ok(policy.includes(rule), rule);
  }
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  for (const [script] of markup.matchAll(/<script[^>]*>[^<]*/g))
    assert.match(script, /^<script src="\/assets\/[\w.-]+"( type="module")?>$/);
  assert.doesNotMatch(markup, /<style|\sstyle=|\son\w+=|javascript:/i);
  for (const [, asset = ''] of markup.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
    const response = await fetch(`${service.origin}${asset}`);
    assert.equal(response.status, 200, asset);
    assert.match(response.headers.get('cache-control') ?? '', /immutable/);
    await response.arrayBuffer();
  }
});

describe('a hostile name stays text', () => {
  const names = [
    '<script>alert(1)</script>.png',
    '"><img src=x onerror=alert(1)>.png',
    "' onmouseover='alert(1).png",
    '</title><svg onload=alert(1)>.png',
    '&lt;b&gt;&#60;.png',
    '](javascript:alert(1)) [x.png',
    '${7*7}{{7*7}}.png',
  ];
  for (const filename of names) {
    test(filename, async () => {
      // Stored directly, because the name sanitizer would leave little to test here.
      const { id } = await uploadOne(service.origin, key, {});
      const {
        owner_suspended: _,
        owner_webhook_events: _events,
        ...row
      } = (await service.database.tables.uploads.byId(id))!;
      const slug = newSlug();
      await service.database.tables.uploads.insert({ ...row, id: newId(), slug, filename });
      const { markup } = await page(`${service.origin}/i/${slug}`);
      assert.equal(meta(markup, 'og:title'), filename);
      assert.equal(unescape(/<h1 dir="auto">([^<]*)<\/h1>/.exec(markup)?.[1] ?? ''), filename);
      // All markup comes from the page: no part of the name became markup.
      const tags = [...markup.matchAll(/<(\w+)/g)].map((match) => match[1]);
      assert.equal(tags.filter((tag) => tag === 'script').length, 2, 'the theme and the buttons');
      assert.equal(tags.filter((tag) => tag === 'img').length, 2, 'the mark and the picture');
      assert.ok(!tags.includes('svg') && !tags.includes('b'));
      assert.doesNotMatch(markup.replaceAll(/"[^"]*"/g, '""'), /<[^>]*\son\w+=/i);
    });
  }
});

describe('oEmbed', () => {
  const oembed = async (query: string) => {
    const response = await fetch(`${service.origin}/oembed?${query}`);
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  };
  test('the address in the page returns a photo', async () => {
    const upload = await uploadOne(service.origin, key, {
      bytes: await images.jpeg(40, 30),
      filename: 'o.jpg',
    });
    const { markup } = await page(upload.pageAt);
    const link = unescape(/type="application\/json\+oembed"\s+href="([^"]+)"/.exec(markup)?.[1] ?? '');
    const { status, headers, body } = await oembed(new URL(link).search.slice(1));
    assert.equal(status, 200);
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(body, {
      version: '1.0',
      type: 'photo',
      title: 'o.jpg',
      provider_name: 'Tintype',
      provider_url: 'http://tintype.test',
      url: upload.file_url,
      width: 40,
      height: 30,
    });
  });
  test('anything else is a 404', async () => {
    const { url } = await uploadOne(service.origin, key, {});
    const queries = [
      '',
      'url=',
      'url=http://elsewhere.example/i/x',
      `url=${url}x`,
      `url=${url}&format=xml`,
      `url=${url}&url=${url}`,
      'url[]=x',
      'url=%00',
    ];
    for (const query of queries) assert.equal((await oembed(query)).status, 404, query);
  });
});

test('the not-found page looks like the other pages and reveals nothing', async () => {
  const gone = await uploadOne(service.origin, key, {});
  await (await fetch(gone.deleteAt, { method: 'POST' })).arrayBuffer();
  const unknown = await page(`${service.origin}/i/neverexisted`);
  const deleted = await page(gone.pageAt);
  assert.deepEqual([unknown.status, deleted.status], [404, 404]);
  assert.equal(unknown.markup, deleted.markup);
  assert.match(deleted.markup, /stylesheet/);
  assert.match(deleted.headers.get('content-security-policy') ?? '', /default-src 'none'/);
});

describe('a render', () => {
  const bytes = Buffer.from('not a picture');

  test('its picture has a page with the title of the captured page, a card, and when it expires', async () => {
    const { accountId } = await service.newKey();
    const expires_at = service.clock.now() + 7_200_000;
    const given = [
      { format: 'text', bytes },
      { format: 'webp', bytes },
    ] as const;
    const id = await storeRender(service, accountId, [...given], { title: 'Prices\u202e today', expires_at });
    const { status, markup } = await page(`${service.origin}/i/${id}-1`);
    assert.equal(status, 200);
    const fileUrl = `http://tintype.test/s/${id}-1`;
    assert.deepEqual(
      ['og:title', 'og:url', 'og:image', 'og:image:type', 'og:image:width', 'twitter:card'].map((name) =>
        meta(markup, name),
      ),
      ['Prices today', `http://tintype.test/i/${id}-1`, fileUrl, 'image/webp', '640', 'summary_large_image'],
    );
    assert.match(markup, new RegExp(`src="/s/${id}-1"`));
    assert.match(markup, /<dt>Rendered<\/dt>/);
    assert.match(markup, /in 2 hours/);
    assert.equal(copied(markup, 'direct-link'), fileUrl);
    const embedded = await fetch(`${service.origin}/oembed?url=http://tintype.test/i/${id}-1`);
    assert.deepEqual(await embedded.json(), {
      version: '1.0',
      type: 'photo',
      title: 'Prices today',
      provider_name: 'Tintype',
      provider_url: 'http://tintype.test',
      url: fileUrl,
      width: 640,
      height: 480,
    });
  });

  test('its PDF has a page that opens it, and a card without a picture', async () => {
    const { accountId } = await service.newKey();
    const id = await storeRender(service, accountId, [{ format: 'pdf', bytes }], { title: '' });
    const { markup } = await page(`${service.origin}/i/${id}`);
    assert.equal(meta(markup, 'og:title'), 'example.com.pdf');
    assert.equal(meta(markup, 'og:description'), 'PDF · 3 pages · 13 B');
    assert.equal(meta(markup, 'twitter:card'), 'summary');
    assert.doesNotMatch(markup, /og:image|class="picture"|Actual size/);
    assert.match(markup, new RegExp(`<a class="document" href="/p/${id}"`));
    assert.match(markup, new RegExp(`href="/p/${id}\\?download=1"`));
    assert.equal(copied(markup, 'markdown'), `[example.com.pdf](http://tintype.test/i/${id})`);
  });

  test('a title that tries to break out stays text, and extracts have no page', async () => {
    const { accountId } = await service.newKey();
    const title = '</title><svg onload=alert(1)>"';
    const given = [
      { format: 'png', bytes },
      { format: 'html', bytes },
    ] as const;
    const id = await storeRender(service, accountId, [...given], { title });
    const { markup } = await page(`${service.origin}/i/${id}`);
    assert.equal(unescape(/<h1 dir="auto">([^<]*)<\/h1>/.exec(markup)?.[1] ?? ''), title);
    assert.doesNotMatch(markup, /<svg/);
    assert.equal((await page(`${service.origin}/i/${id}-1`)).status, 404);
  });
});
