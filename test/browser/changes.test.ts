// What the client changes in a page: styles from the first paint on, no scripts, a script of its own. v2 2 (page).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { noChanges, plainPicture, plainView, type Job, type PageChanges } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { slowRoute, startPageServer, type PageServer } from '#test/support/page-server.ts';
import { decode, nameOf } from '#test/support/pixels.ts';

const grey = '#dddddd';
const green = '#00a000';
const red = '#c80000';

/** Grey boxes of 100 x 100 px in a column, named a, b, c, and what follows them. */
const page = (rest = '', style = '') => `<!doctype html><style>body { margin: 0 }
  div { height: 100px; width: 100px; background: ${grey} } ${style}</style>
  <div id="a"></div><div id="b"></div><div id="c"></div>${rest}`;

let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({ '/slow': slowRoute, '/green': page('', `div { background: ${green} }`) });
  kit = await useTestBrowser([server.host, server.host.replace('127.0.0.1', 'localhost')]);
});
after(() => server.close());

/** The colours of the first three boxes. */
async function render(url: string, changes: Partial<PageChanges>, job: Partial<Job> = {}): Promise<string[]> {
  const view = { ...plainView, width: 400, height: 400 };
  await using made = await kit.render(url, { view, changes: { ...noChanges, ...changes }, ...job });
  const picture = await decode(await readFile(made.outputs[0]!.path));
  return [50, 150, 250].map((y) => nameOf(picture.at(50, y)));
}

test('css and hide apply against the policy, the rules and the scripts of the page', async () => {
  const url = server.route('/strict', (_, response) => {
    response.setHeader('content-type', 'text/html');
    response.setHeader(
      'content-security-policy',
      "default-src 'none'; style-src 'nonce-1'; script-src 'nonce-1'",
    );
    response.end(
      page(
        '<script nonce="1">setTimeout(() => { document.adoptedStyleSheets = [] }, 500)</script>',
        '#b#b#b { display: block !important }',
      ).replaceAll('<style>', '<style nonce="1">'),
    );
  });
  const changes = { css: `#a { background: ${green} } @nonsense`, hide: ['#no{thing', 'p >', '#b'] };
  assert.deepEqual(await render(url, changes), ['green', 'grey', 'white']);
});

test('what a page shows with an important style of its own is hidden too', async () => {
  const url = server.route(
    '/insists',
    page(`<script>b.style.setProperty('display', 'block', 'important')</script>`),
  );
  assert.deepEqual(await render(url, { hide: ['p >', '#b'] }), ['grey', 'grey', 'white']);
  assert.deepEqual(await render(url, { hide: ['#b'], javascript: false }), ['grey', 'grey', 'white']);
});

test('css and hide are there before the first script of the page, and not in its frames', async () => {
  const seen = (box: string, test: string) => `if (${test}) ${box}.style.borderLeft = '100px solid ${green}'`;
  const url = server.route(
    '/early',
    page(
      `<script>${seen('a', "getComputedStyle(a).color === 'rgb(1, 2, 3)'")};${seen('b', "getComputedStyle(hidden).display === 'none'")}
      onmessage = () => { ${seen('c', 'true')} }</script>`,
    )
      .replace('<div', '<p id="hidden">hidden</p><div')
      .replace(
        /$/,
        `<iframe srcdoc="<p id=hidden>framed</p><script>if (getComputedStyle(hidden).display === 'block') parent.postMessage(1, '*')</script>"></iframe>`,
      ),
  );
  const changes = { css: 'div { color: rgb(1, 2, 3) }', hide: ['#hidden'] };
  assert.deepEqual(await render(url, changes), ['green', 'green', 'green']);
});

test('without JavaScript, no script of the page or of its frames runs, and a full page with css is made', async () => {
  const frame = server
    .route('/framed', page(`<script>a.style.background = '${red}'</script>`))
    .replace('127.0.0.1', 'localhost');
  const url = server.route(
    '/scripted',
    page(
      `<script>a.style.background = '${red}'</script><noscript><style>#a { background: ${green} }</style></noscript>
      <script>onload = () => { b.style.background = '${red}' }</script><p style="height: 900px"></p>`,
      'iframe { border: 0; width: 100px; height: 100px; display: block }',
    ).replace('<div id="c"></div>', `<iframe src="${frame}"></iframe>`),
  );
  const changes = { javascript: false, css: `#b { background: ${green} }` };
  const outputs = [{ ...plainPicture, fullPage: true }];
  assert.deepEqual(await render(url, changes, { outputs }), ['green', 'green', 'grey']);
});

const script = (body: string) => ({ script: body });

test('a script runs in the page after it has settled, and may await timers and requests', async () => {
  const url = server.route(
    '/late',
    page(`<script>setTimeout(() => { a.dataset.late = 1; ready = true }, 2500)</script>`),
  );
  const changes = script(`if (!ready || !a.dataset.late) throw new Error('too early');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    a.style.background = '${green}';
    await fetch('/slow?50');
    b.style.background = '${green}'; // and nothing more`);
  assert.deepEqual(await render(url, changes), ['green', 'green', 'grey']);
});

// In virtual time no time passes during a script, so this one is run again in real time.
test('a script may wait for the clock in a loop', async () => {
  const url = server.route('/plain', page());
  const changes = script(
    `const end = Date.now() + 300; while (Date.now() < end); a.style.background = '${green}'`,
  );
  assert.deepEqual(await render(url, changes, { timeoutMs: 30_000 }), ['green', 'grey', 'grey']);
});

// Longer than the next document of a page that navigates by itself is waited for.
const slowMs = 6_000;

test('a script may navigate: the next document is awaited and rendered, with the same styles', async () => {
  const url = server.route('/start', page());
  const slow = server.route('/slow-green', (_, response) => {
    response.setHeader('content-type', 'text/html');
    setTimeout(() => response.end(page('', `div { background: ${green} }`)), slowMs);
  });
  const styles = { hide: ['#c'] };
  const bodies = [
    `location = '${slow}'`,
    `location = '${slow.replace('127.0.0.1', 'localhost')}'; await new Promise(() => {})`,
  ];
  const seen = await Promise.all(bodies.map((body) => render(url, { ...styles, ...script(body) })));
  for (const colours of seen) assert.deepEqual(colours, ['green', 'green', 'white']);
});

test('a script that fails, or does not end, fails the render by name', async () => {
  const url = server.route('/plain', page());
  for (const [body, words] of [
    [`await null; throw new TypeError('no "such" thing')`, 'the script failed: TypeError: no "such" thing'],
    [`await Promise.reject('a text')`, 'the script failed: a text'],
    ['return (', "the script failed: SyntaxError: Unexpected token '}'"],
    [
      `throw new Error('see https://u.test/x?token=1 now')`,
      'the script failed: Error: see https://u.test/x now',
    ],
    [`throw 'x'.repeat(1000)`, `the script failed: ${'x'.repeat(300)}`],
    ['await new Promise((resolve) => { keep = resolve })', 'the script did not end within timeout_ms'],
  ] as const) {
    await assert.rejects(render(url, script(body), { timeoutMs: 6_000 }), (error: RenderFailure) => {
      assert.deepEqual([error.reason, error.field, error.message], ['script_error', 'script', words]);
      return true;
    });
  }
});
