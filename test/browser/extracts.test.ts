// Text, markup and facts that are taken out of real pages. v2 2 (extracts).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { noChanges, plainPicture, type ExtractOutput, type Job, type Output } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer, type Route } from '#test/support/page-server.ts';

let server: PageServer;
let kit: TestBrowser;

const sentence = 'A daguerreotype is made on a polished sheet of silver, and no two of them are alike. ';
const article = `<!doctype html><html lang="en-GB"><title>On plates - The Journal</title>
  <meta name="description" content="How plates are made."><meta property="og:site_name" content="The Journal">
  <meta property="og:image" content="/plate.png?size=2"><meta property="og:image:width" content="640"><meta name="twitter:card" content="summary">
  <meta name="author" content="A. Smith"><meta property="article:published_time" content="2024-05-06T07:08:09+02:00">
  <link rel="canonical" href="/plates"><link rel="icon" href="/icon.svg">
  <body><nav><a href="/home">Home</a> <a href="/about?x=1">About</a></nav>
  <article><h1>On plates</h1><p>${sentence.repeat(8)}</p><h2>Sizes</h2><p>${sentence.repeat(6)} <a href="sizes">More <b>sizes</b></a>.</p>
  <table><tr><th>Name<th>Size<tr><td>whole_plate<td>6 | 8<tr><td><td><code>a</code></table>
  <ul><li>one<li>two</ul><pre><code class="language-sh">ls -l
cd</code></pre><p style="display:none">hidden words</p><p>${sentence.repeat(6)}</p>
  <p><img src="/plate.png" alt="A plate"><img src="data:image/gif;base64,AAAA" alt="none"></p></article>
  <footer>All rights reserved. <a href="/home">Home</a> <a href="javascript:void 0">Top</a></footer>`;

before(async () => {
  const strict: Route = (_, response) => {
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'",
      })
      .end(article);
  };
  server = await startPageServer({
    '/article': article,
    '/strict': strict,
    '/made': `<!doctype html><title>Made</title><body><p id="a">before</p><x-card>slotted</x-card><script>
      a.textContent = 'after';
      document.querySelector('x-card').attachShadow({ mode: 'open' }).innerHTML = '<h2 class="name">In the shadow</h2><slot></slot>';
      Array.prototype.map = String.prototype.replace = () => 'broken';
      Object.defineProperty(Element.prototype, 'innerHTML', { get: () => 'broken' });</script>`,
    '/titled-otherwise': article
      .replace('On plates - The Journal', 'Home')
      .replace('<h1>On plates</h1>', '<h1>On\n<em>plates</em></h1><p>6 May</p>'),
    '/untitled': article.replace('<title>On plates - The Journal</title>', '').replaceAll('h1>', 'h2>'),
    '/few': '<!doctype html><body><p>Only a few words.</p><div id="module"></div><div id="exports"></div>',
    '/empty': '<!doctype html>',
    '/removed': '<!doctype html><script>document.documentElement.remove()</script>',
    '/deep': `<!doctype html><body><script>
      let at = document.body; for (let i = 0; i < 2000; i++) at = at.appendChild(document.createElement('span'));
      at.textContent = 'far inside'</script>`,
    '/large': `<!doctype html><body><script type="text/plain">${'é'.repeat(6 * 1024 * 1024)}</script>`,
    '/links': `<!doctype html><script type="application/ld+json">{"@type":"Article","datePublished" : "2023-01-02"}</script><body><script>for (let i = 0; i < 3000; i++) {
      const a = document.body.appendChild(document.createElement('a')); a.href = '/page/' + (i >> 1); a.textContent = i }</script>`,
  });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

const plain = { selector: null, mainContent: false };

/** The outputs of one load, as text. */
async function extract(path: string, outputs: (Partial<ExtractOutput> | Output)[], job: Partial<Job> = {}) {
  await using rendered = await kit.render(`${server.base}${path}`, {
    outputs: outputs.map((output) => ({ ...plain, ...output }) as Output),
    ...job,
  });
  const texts = await Promise.all(rendered.outputs.map(({ path: file }) => readFile(file, 'utf8')));
  return { texts, outputs: rendered.outputs, warnings: rendered.page.warnings };
}

const table = `| Name | Size |
| --- | --- |
| whole\\_plate | 6 \\| 8 |
|  | \`a\` |

-   one
-   two

\`\`\`sh
ls -l
cd
\`\`\``;

test('v2 markdown and text: what is shown, with full addresses; main_content: the article only', async () => {
  const { texts } = await extract('/article', [
    { format: 'markdown' },
    { format: 'markdown', mainContent: true },
    { format: 'text' },
    { format: 'text', mainContent: true },
    { format: 'html', mainContent: true },
  ]);
  const [markdown, main, text, mainText, mainHtml] = texts as [string, string, string, string, string];
  for (const each of [markdown, main]) {
    assert.match(each, /^# On plates\n\nA daguerreotype/m);
    assert.ok(each.includes(`[More **sizes**](${server.base}/sizes).`), each);
    assert.ok(each.includes(table), each);
    assert.ok(each.includes(`\n\n![A plate](${server.base}/plate.png)`), each);
    assert.ok(!/hidden words|javascript:|data:/.test(each));
  }
  assert.match(markdown, /^\[Home\]\(http/);
  assert.match(text, /^Home About\nOn plates\n/);
  assert.match(mainText, /^On plates\n\nA daguerreotype/);
  assert.match(mainText, /\n\nName\tSize\nwhole_plate\t6 \| 8\na\n\none\ntwo\n\nls -l\ncd\n\n/);
  assert.match(mainHtml, /^<h1>On plates<\/h1>/);
  for (const each of [main, mainText, mainHtml]) assert.ok(!each.includes('All rights reserved'));
});

test('v2 metadata: every key, addresses absolute and whole', async () => {
  const { texts } = await extract('/article', [{ format: 'metadata' }]);
  const { base } = server;
  assert.deepEqual(JSON.parse(texts[0]!), {
    title: 'On plates - The Journal',
    description: 'How plates are made.',
    language: 'en-GB',
    canonical_url: `${base}/plates`,
    site_name: 'The Journal',
    image: `${base}/plate.png?size=2`,
    icon: `${base}/icon.svg`,
    author: 'A. Smith',
    published_at: '2024-05-06T05:08:09.000Z',
    open_graph: { site_name: 'The Journal', image: '/plate.png?size=2', 'image:width': '640' },
    twitter: { card: 'summary' },
    links: [`${base}/home`, `${base}/about?x=1`, `${base}/sizes`],
  });
});

test('v2 extracts of a page that says nothing: every key of metadata, and no failure', async () => {
  const formats = ['metadata', 'text', 'markdown', 'html'] as const;
  const { texts } = await extract('/empty', [
    ...formats.map((format) => ({ format })),
    { format: 'markdown', mainContent: true },
  ]);
  const nothing = { title: null, description: null, language: null, canonical_url: null, site_name: null };
  const rest = {
    image: null,
    icon: null,
    author: null,
    published_at: null,
    open_graph: {},
    twitter: {},
    links: [],
  };
  assert.deepEqual(JSON.parse(texts[0]!), { ...nothing, ...rest });
  assert.deepEqual(texts.slice(1), ['', '', '<!DOCTYPE html>\n<html><head></head><body></body></html>', '']);
});

test('v2 extracts of a page that has taken away its last element are empty, and blame no selector', async () => {
  const outputs = (['html', 'text', 'markdown'] as const).map((format) => ({ format }));
  const { texts, warnings } = await extract('/removed', outputs);
  assert.deepEqual([texts, warnings], [['', '', ''], []]);
});

test('v2 html and mhtml: the document as its scripts have left it', async () => {
  const { texts } = await extract('/made', [{ format: 'html' }, { format: 'mhtml' }]);
  assert.match(
    texts[0]!,
    /^<!DOCTYPE html>\n<html><head><title>Made<\/title><\/head><body><p id="a">after<\/p>/,
  );
  assert.match(texts[1]!, /^From: <Saved by Blink>\r\nSnapshot-Content-Location: http/);
  assert.match(texts[1]!.replaceAll('=\r\n', ''), /<p id=3D"a">after<\/p>/);
});

test('v2 extracts of a page that has replaced what libraries use, and with an open shadow root', async () => {
  const { texts } = await extract('/made', [
    { format: 'markdown' },
    { format: 'html', selector: '.name' },
    { format: 'text', selector: 'h2' },
    { format: 'markdown', selector: 'x-card' },
  ]);
  assert.deepEqual(texts, [
    'after\n\n## In the shadow\n\nslotted',
    '<h2 class="name">In the shadow</h2>',
    'In the shadow',
    '## In the shadow\n\nslotted',
  ]);
});

test('v2 extracts of a page with Trusted Types are those of the same page without', async () => {
  const outputs = [
    { format: 'markdown', mainContent: true },
    { format: 'html', mainContent: true },
    { format: 'text' },
  ] as const;
  const [strict, usual] = await Promise.all(
    ['/strict', '/article'].map((path) => extract(path, [...outputs])),
  );
  assert.deepEqual(strict!.texts, usual!.texts);
});

test('v2 main_content has its heading once, and where it was, whatever the title of the document', async () => {
  const formats = ['markdown', 'text', 'html'] as const;
  const { texts } = await extract(
    '/titled-otherwise',
    formats.map((format) => ({ format, mainContent: true })),
  );
  const [markdown, text, html] = texts as [string, string, string];
  assert.match(markdown, /^# On _plates_\n\n6 May\n\nA daguerreotype/);
  assert.match(text, /^On plates\n\n6 May\n\nA daguerreotype/);
  assert.match(html, /<h1>On\s<em>plates<\/em><\/h1>\s*<p>6 May/);
  for (const each of texts) assert.equal(each.match(/On[\s_]+(?:<em>)?plates/g)?.length, 1, each);
  const untitled = await extract('/untitled', [{ format: 'markdown', mainContent: true }]);
  assert.match(untitled.texts[0]!, /^## On plates\n\nA daguerreotype/);
});

test('v2 main_content of a page without an article is all of it', async () => {
  const { texts } = await extract('/few', [{ format: 'markdown', mainContent: true }]);
  assert.deepEqual(texts, ['Only a few words.']);
});

test('v2 extracts without scripts, before a picture of the same load', async () => {
  const changes = { ...noChanges, javascript: false };
  const outputs = [
    plainPicture,
    { format: 'markdown', selector: '#a' },
    { format: 'html', selector: '#a' },
    { format: 'metadata' },
  ] as const;
  const { texts } = await extract('/made', [...outputs], { changes });
  assert.deepEqual(texts.slice(1, 3), ['before', '<p id="a">before</p>']);
  assert.equal(JSON.parse(texts[3]!).title, 'Made');
});

test('v2 selector_missing of an extract', async () => {
  for (const [selector, words] of [
    ['#none', 'no element of the page matches "#none"'],
    ['a[', '"a[" is not a valid CSS selector'],
  ] as const) {
    const failing = extract('/few', [{ format: 'text' }, { format: 'text', selector }]);
    await assert.rejects(failing, ({ reason, field, message }: RenderFailure) => {
      assert.deepEqual([reason, field, message], ['selector_missing', 'outputs[1].selector', words]);
      return true;
    });
  }
});

test('v2 extracts are bounded: markup and text at 10 MiB, links at 1,000', async () => {
  const { texts, outputs, warnings } = await extract('/large', [{ format: 'html' }]);
  const [html] = outputs;
  assert.deepEqual(
    [html!.truncated, texts[0]!.at(-1), 10 * 1024 ** 2 - html!.sizeBytes < 2],
    [true, 'é', true],
  );
  assert.deepEqual(
    warnings.map(({ code, message }) => `${code}: ${message}`),
    ['content_cut: the html was cut at 10 MiB'],
  );
  const linked = await extract('/links', [{ format: 'metadata' }]);
  const { links, published_at: published } = JSON.parse(linked.texts[0]!) as {
    links: string[];
    published_at: string;
  };
  assert.deepEqual([links.length, links.at(-1)], [1000, `${server.base}/page/999`]);
  assert.equal(published, '2023-01-02T00:00:00.000Z');
});

test('v2 markdown of what is nested too deeply is its text, and says so', async () => {
  const { texts, outputs, warnings } = await extract('/deep', [{ format: 'markdown' }]);
  assert.deepEqual([texts[0], outputs[0]!.truncated], ['far inside', true]);
  assert.match(warnings[0]!.message, /could not be turned into Markdown.*it is given whole, as text$/);
});

test('v2 a document without an address: its relative addresses stay so, in every extract', async () => {
  const text =
    '<title>t</title><meta property="og:image" content="/i.png"><a href="x.html?q=1#f">x</a> <a href="https://nowhere.invalid/">y</a>';
  await using rendered = await kit.render('', {
    source: { kind: 'html', text, baseUrl: null, files: [] },
    outputs: [
      { format: 'markdown', selector: null, mainContent: false },
      { format: 'metadata', selector: null, mainContent: false },
      { format: 'accessibility' },
    ],
  });
  const [markdown = '', metadata = '', tree = ''] = await Promise.all(
    rendered.outputs.map(({ path }) => readFile(path, 'utf8')),
  );
  assert.equal(markdown.trim(), '[x](x.html?q=1#f) [y](https://nowhere.invalid/)');
  const { image, links } = JSON.parse(metadata) as { image: string; links: string[] };
  assert.deepEqual([image, links], ['i.png', ['x.html?q=1#f', 'https://nowhere.invalid/']]);
  assert.match(tree, /"url":"x\.html\?q=1#f"/);
});
