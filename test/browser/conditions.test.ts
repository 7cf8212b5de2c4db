// A render waits for the elements and expressions that the client names, and fails by name if they do not come. v2 2 (waiting).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { noChanges, plainView, type Job, type WaitFor } from '#browser/job.ts';
import { plainWaits, useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { slowRoute, startPageServer, type PageServer } from '#test/support/page-server.ts';
import { colourOf } from '#test/support/pixels.ts';

/** A grey box that the script turns green in the same moment in which it meets the condition. */
const page = (script: string, rest = '') => `<!doctype html><style>body { margin: 0 }
  #box { width: 200px; height: 200px; background: #dddddd }</style><div id="box"></div>${rest}
  <script>const done = () => { box.style.background = '#00a000' }; ${script}</script>`;

let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({ '/slow': slowRoute });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

async function render(url: string, waits: Partial<Job['waits']>, job: Partial<Job> = {}): Promise<string> {
  const view = { ...plainView, width: 320, height: 320 };
  await using made = await kit.render(url, { view, waits: { ...plainWaits, ...waits }, ...job });
  return colourOf(await readFile(made.outputs[0]!.path));
}

const field = 'wait_for[1]';
// Longer than the page's time before and after the wait together.
const lateMs = 8_000;

const cases: { title: string; html: string; for: WaitFor[]; until?: Job['waits']['until'] }[] = [
  {
    title: 'an element that a late timer makes visible in a shadow root',
    html: page(
      `const inner = document.querySelector('x-a').attachShadow({ mode: 'open' }); inner.innerHTML = '<x-b></x-b>';
      inner.firstChild.attachShadow({ mode: 'open' }).innerHTML = '<p class="late" style="visibility: hidden">late</p>';
      setTimeout(() => { inner.firstChild.shadowRoot.firstChild.style = ''; done() }, ${lateMs})`,
      '<x-a></x-a>',
    ),
    for: [{ selector: 'p.late', state: 'visible' }],
  },
  {
    title: 'an element without a box that is attached after a slow request',
    html: page(
      `onload = () => fetch('/slow?4000').then(() => { box.append(document.createElement('template')); done() })`,
    ),
    for: [{ selector: '#box > template', state: 'attached' }],
  },
  {
    title: 'one condition after the other, the last an element that is hidden in the end',
    html: page(
      `setTimeout(() => { spin.hidden = false }, 1000); setTimeout(() => { spin.hidden = true; done() }, ${lateMs})`,
      '<p id="spin" hidden>wait</p>',
    ),
    for: [
      { selector: '#spin', state: 'attached' },
      { expression: 'window.box' },
      { selector: '#spin', state: 'gone' },
    ],
  },
  {
    title: 'an expression that throws at first, with promises, before the load event',
    html: page(
      `setTimeout(() => { app = { ready: Promise.resolve(1) }; done() }, 500)`,
      '<img src="/slow?1500">',
    ),
    until: 'domcontentloaded',
    for: [{ expression: 'app.ready // in the end' }],
  },
  {
    title: 'an element of the document to which the page goes',
    html: page(
      `if (location.hash !== '#2') onload = () => setTimeout(() => { location.hash = '#2'; location.reload() }, 4000); else { box.className = 'there'; done() }`,
    ),
    for: [{ selector: '.there', state: 'visible' }],
  },
];

describe('conditions', { concurrency: 2 }, () => {
  for (const [index, { title, html, until = 'settled', for: conditions }] of cases.entries()) {
    test(`a condition is waited for: ${title}`, async () => {
      const url = server.route(`/case-${index}`, html);
      assert.equal(await render(url, { until, for: conditions }), 'green');
    });
  }

  const unmet: { condition: WaitFor; words: string; isAtOnce?: boolean }[] = [
    {
      condition: { selector: '.never', state: 'visible' },
      words: '".never" was not visible within timeout_ms',
    },
    { condition: { selector: '#box', state: 'gone' }, words: '"#box" was not gone within timeout_ms' },
    {
      condition: { expression: 'new Promise(() => {})' },
      words: '"new Promise(() => {})" was not true within timeout_ms',
    },
    {
      condition: { selector: 'p[', state: 'attached' },
      words: '"p[" is not a CSS selector',
      isAtOnce: true,
    },
    {
      condition: { expression: 'a b' },
      words: `"a b" is not an expression: SyntaxError: Unexpected identifier 'b'`,
      isAtOnce: true,
    },
  ];
  for (const { condition, words, isAtOnce = false } of unmet) {
    test(`a condition that is not met fails the render: ${words}`, async () => {
      const url = server.route('/still', page(''));
      const waits = { for: [{ expression: 'true' }, condition] };
      await assert.rejects(
        render(url, waits, { timeoutMs: isAtOnce ? 60_000 : 6_000, listed: ['wait_for'] }),
        (error: RenderFailure) => {
          assert.deepEqual([error.reason, error.field, error.message], ['condition_unmet', field, words]);
          return true;
        },
      );
    });
  }

  test('conditions are waited for after the script of the client', async () => {
    const script = `setTimeout(() => { box.className = 'there'; done() }, ${lateMs})`;
    const changes = { ...noChanges, script };
    const waits = { for: [{ selector: '.there', state: 'attached' as const }] };
    assert.equal(await render(server.route('/still', page('')), waits, { changes }), 'green');
  });

  test('a page that goes where there is none is not waited for', async () => {
    const url = server.route(
      '/leaves',
      page(`setTimeout(() => { location = 'http://10.0.0.1/' }, ${lateMs})`),
    );
    const waits = { for: [{ selector: '.never', state: 'visible' as const }] };
    await assert.rejects(render(url, waits), (error: RenderFailure) => error.reason === 'denied');
  });

  test('an expression that does not return ends with the render', async () => {
    const url = server.route('/still', page(''));
    const endless = { for: [{ expression: '(() => { for (;;); })()' }] };
    await assert.rejects(render(url, endless, { timeoutMs: 6_000 }), (error: RenderFailure) => {
      assert.ok(['condition_unmet', 'timed_out'].includes(error.reason), String(error));
      return true;
    });
  });
});
