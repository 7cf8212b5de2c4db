// Documents and files of the request: answered inside the worker, at an origin of their own or at base_url. v2 2 (source).
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { noChanges, type DocumentSource, type Job, type SourceFile } from '#browser/job.ts';
import { markdownPage } from '#browser/page/open/markdown.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { decode, nameOf } from '#test/support/pixels.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { waitFor } from '#test/support/wait-for.ts';

type Folder = Awaited<ReturnType<typeof temporaryFolder>>;

let server: PageServer;
let other: PageServer;
let kit: TestBrowser;
let spool: Folder;

before(async () => {
  server = await startPageServer({
    '/api': (_, response) => void response.end('from the server'),
    '/never': () => {},
  });
  other = await startPageServer(
    {
      '/frame': `<script>const image = new Image(); image.onload = () => parent.postMessage('frame', '*');
        image.src = location.hash.slice(1)</script>`,
    },
    { address: '127.0.0.2' },
  );
  spool = await temporaryFolder();
  kit = await useTestBrowser([server.host, other.host]);
});
after(() => Promise.all([server.close(), other.close(), spool.remove()]));

/** Readable for the service only, as the files of a request are. */
async function fileOf(name: string, contentType: string, body: string): Promise<SourceFile> {
  const path = join(spool.path, Buffer.from(name).toString('hex'));
  await writeFile(path, body, { mode: 0o600 });
  return { name, contentType, path, sizeBytes: Buffer.byteLength(body) };
}

const filesOf = (files: Record<string, [contentType: string, body: string]>): Promise<SourceFile[]> =>
  Promise.all(Object.entries(files).map(([name, [type, body]]) => fileOf(name, type, body)));

const cellStyle = 'position:fixed;top:0;width:20px;height:20px;background:#c80000';
const cellsOnly = (checks: string[]) =>
  checks
    .map((check, index) => `<i id="check-${check}" style="${cellStyle};left:${index * 20}px"></i>`)
    .join('');

/** One cell for each check, which is green if the check has passed. */
const cells = (checks: string[]) =>
  `<!doctype html>${cellsOnly(checks)}
  <script>const pass = (id) => { document.getElementById('check-' + id).style.background = '#00a000' }</script>`;

async function passed(checks: string[], source: Partial<DocumentSource>, job: Partial<Job> = {}) {
  const document: DocumentSource = { kind: 'html', text: '', baseUrl: null, files: [], ...source };
  await using rendered = await kit.render('', { ...job, source: document });
  const picture = await decode(await readFile(rendered.outputs[0]!.path));
  return Object.fromEntries(
    checks.map((check, index) => [check, nameOf(picture.at(index * 20 + 10, 10)) === 'green']),
  );
}

const all = (checks: string[]) => Object.fromEntries(checks.map((check) => [check, true]));
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"/>';

test('a document finds its files, and its timers and requests are in the picture', async () => {
  const checks = 'style background image script module frame worker later query missing secure nested'.split(
    ' ',
  );
  const text = `${cells(checks)}<link rel="stylesheet" href="style.css">
    <img src="img/logo one.svg" onload="pass('image')"><script src="./script.js"></script><script type="module" src="module.js"></script>
    <iframe src="frame.html" style="visibility:hidden"></iframe><script>
    onmessage = ({ data }) => pass(data);
    new Worker('worker.js').onmessage = ({ data }) => pass(data);
    const timer = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    (async () => { await timer(1200); const a = await (await fetch('data.json')).json(); await timer(1200); if (a.ok) pass('later') })();
    fetch('data.json?v=3').then((r) => r.json()).then(() => pass('query'));
    fetch('missing.png').then(({ status }) => status === 404 && pass('missing'));
    if (isSecureContext && location.pathname === '/' && /^https:\\/\\/[a-z0-9]+\\.document\\.invalid$/.test(origin)) pass('secure');
    </script>`;
  const files = await filesOf({
    'style.css': [
      'text/css',
      '#check-style { background: #00a000 !important } #check-background { background: url(img/green.svg) !important }',
    ],
    'img/green.svg': ['image/svg+xml', svg.replace('/>', ' style="background:#00a000"/>')],
    'img/logo one.svg': ['image/svg+xml', svg],
    'script.js': ['text/javascript', `pass('script')`],
    'module.js': ['text/javascript', `import './part.js'`],
    'part.js': ['text/javascript', `pass('module')`],
    'frame.html': ['text/html', `<script>parent.postMessage('frame', '*')</script>`],
    'worker.js': [
      'text/javascript',
      `fetch('data.json').then((r) => r.json()).then(() => postMessage('worker'))`,
    ],
    'data.json': ['application/json', '{"ok":true}'],
    'a/b.js': ['text/javascript', `pass('nested')`],
  });
  const nested = '<script src="a/b.js"></script>';
  assert.deepEqual(await passed(checks, { text: text + nested, files }), all(checks));
  assert.deepEqual(server.seen, []);
});

test('at base_url only the document and the files are answered, and the rest goes out', async () => {
  const checks = ['address', 'file', 'server', 'gone', 'query'];
  const text = `${cells(checks)}<script>
    if (location.href === '${server.base}/shop/invoice?id=1#top') pass('address');
    const is = (address, body, id) => fetch(address).then((r) => r.text()).then((t) => t === body && pass(id));
    is('logo.txt', 'sent along', 'file'); is('/api', 'from the server', 'server'); is('/api?x', 'from the server', 'query');
    fetch('/logo.txt').then((r) => r.status === 404 && pass('gone'));</script>`;
  const files = await filesOf({
    'logo.txt': ['text/plain', 'sent along'],
    '//127.0.0.1:1/api': ['text/plain', 'elsewhere'],
  });
  const baseUrl = `${server.base}/shop/invoice?id=1#top`;
  assert.deepEqual(await passed(checks, { text, baseUrl, files }), all(checks));
  assert.deepEqual(server.seen.toSorted(), ['GET /api', 'GET /api?x', 'GET /logo.txt']);
});

test('frames of another site find the files of the document, and service workers too', async () => {
  const checks = ['frame', 'service'];
  const text = `${cells(checks)}<iframe src="${other.base}/frame#${server.base}/logo.svg"></iframe><script>
    onmessage = ({ data }) => pass(data);
    navigator.serviceWorker.register('service.js').then(() => navigator.serviceWorker.ready).then(() => pass('service'))</script>`;
  const files = await filesOf({
    'logo.svg': ['image/svg+xml', svg],
    'service.js': ['text/javascript', 'oninstall = () => skipWaiting()'],
  });
  assert.deepEqual(await passed(checks, { text, baseUrl: `${server.base}/page`, files }), all(checks));
});

const markdown = `# An *invoice* & more

| what | price |
|---|---|
| a file | 1 |

- [ ] open
- [x] paid

<b id="raw">HTML</b> ~~gone~~ <script src="check.js"></script>
`;
test('Markdown is a page with tables, task lists and HTML, whose styles give way to those of the client', async () => {
  const checks = ['table', 'tasks', 'raw', 'title', 'plain', 'own', 'text'];
  const is = (check: string, condition: string) => `if (${condition}) pass('${check}');`;
  const script = [
    `document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(cellsOnly(checks))});`,
    `const pass = (id) => { document.getElementById('check-' + id).style.background = '#00a000' };`,
    is(
      'table',
      `document.querySelectorAll('thead th').length === 2 && document.querySelectorAll('tbody td').length === 2`,
    ),
    is(
      'tasks',
      `[...document.querySelectorAll('li > input[type=checkbox]')].map((box) => box.checked).join() === 'false,true'`,
    ),
    is(
      'raw',
      `document.getElementById('raw').textContent === 'HTML' && document.querySelector('del').textContent === 'gone'`,
    ),
    is('title', `document.title === 'An invoice & more'`),
    is('plain', `getComputedStyle(document.querySelector('td')).borderTopStyle === 'solid'`),
    `onload = () => { ${is('own', `getComputedStyle(document.querySelector('h1')).fontSize === '11px'`)} };`,
    is('text', `document.compatMode === 'CSS1Compat' && document.characterSet === 'UTF-8'`),
  ].join('\n');
  const files = await filesOf({ 'check.js': ['text/javascript', script] });
  const changes = { ...noChanges, css: 'h1 { font-size: 11px }' };
  assert.deepEqual(
    await passed(checks, { kind: 'markdown', text: markdown, files }, { changes }),
    all(checks),
  );
});

for (const [what, text] of [
  ['takes minutes', '_a_'.repeat(300_000)],
  ['is nested deeply', '>'.repeat(20_000)],
] as const)
  test(`Markdown that ${what} is a failure of its render only`, async () => {
    await assert.rejects(markdownPage(text, new AbortController().signal, 2_000), {
      name: 'RenderFailure',
      reason: 'too_large',
      message: 'the Markdown is nested too deeply, or takes too long to read',
      field: 'markdown',
    });
  });

test('a document of two megabytes, of which each needs six in JSON, reaches the page whole', async () => {
  const head = `${cells(['length'])}<script>onload = () => document.lastChild.data.length === LENGTH && pass('length')</script></html><!--`;
  const length = 2 * 1024 ** 2 - head.length - '-->'.length;
  const text = `${head.replace('LENGTH', String(length))}${'\u0001'.repeat(length)}-->`;
  assert.deepEqual(await passed(['length'], { text }), { length: true });
});

/** Names of files in the folders of the workers. */
const handedOver = async () =>
  (await readdir(kit.resultsFolder, { recursive: true })).filter((name) => name.includes('-source-'));

test('the files of a request leave the worker with its render, also if that is cancelled', async () => {
  const files = await filesOf({ 'a.txt': ['text/plain', 'a'], 'b.txt': ['text/plain', 'b'] });
  const text = `<img src="${server.base}/never?${files.length}">`;
  const source: DocumentSource = { kind: 'html', text, baseUrl: `${server.base}/page`, files };
  const controller = new AbortController();
  const render = kit.render('', { source }, controller.signal);
  await waitFor('the page', () => server.seen.some((seen) => seen.startsWith('GET /never')));
  assert.equal((await handedOver()).length, 2);
  controller.abort();
  await assert.rejects(render, { reason: 'aborted' });
  await waitFor('the files to be removed', async () => (await handedOver()).length === 0);
  await passed([], { text: 'short', files });
  await waitFor('the files to be removed', async () => (await handedOver()).length === 0);
});
