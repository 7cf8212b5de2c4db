// The picture shows what a page does after its load event, and work that never ends does not delay it. Spec 4.3 (network settle).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPhases } from '#core/phases.ts';
import type { RenderFailure } from '#browser/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { colourOf } from '#test/support/pixels.ts';
import { animated, openStage, page } from './settle-kit.ts';

let server: PageServer;
let kit: TestBrowser;

/** The same page without scripts. */
const scriptless = (css: string) => page('', css).replace(/<script>.*<\/script>/s, '');

const worker = (script: string) => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])))`;

const cases: { title: string; html: string; ends?: string }[] = [
  { title: 'nothing more to do', html: page('', '#box { background: #00a000 }') },
  { title: 'a timer at 2,500 ms', html: page('setTimeout(done, 2500)') },
  // Longer than a page may take to load: until its load event, its timers run in real time.
  { title: 'a timer beyond the three seconds', html: page('setTimeout(done, 30000)'), ends: 'grey' },
  ...[100, 400, 900].map((ms) => ({
    title: `a fetch at +${ms} ms`,
    html: page(`onload = () => setTimeout(() => fetch('/slow?60').then((r) => r.text()).then(done), ${ms})`),
  })),
  {
    title: 'five fetches in a chain, bodies unread',
    html: page(
      `(async () => { for (let i = 0; i < 5; i++) { await fetch('/slow?40'); await new Promise((r) => setTimeout(r, 100)) } done() })()`,
    ),
  },
  {
    title: 'an image that is inserted late',
    html: page(
      `setTimeout(() => { const i = new Image(); i.onload = done; i.src = '/dot.svg'; document.body.append(i) }, 300)`,
    ),
  },
  { title: 'a long poll and a timer', html: page(`fetch('/slow?60000'); setTimeout(done, 500)`) },
  { title: 'a long poll and a late timer', html: page(`fetch('/slow?60000'); setTimeout(done, 2900)`) },
  {
    title: 'a long poll and a timer beyond the three seconds',
    html: page(`fetch('/slow?60000'); setTimeout(done, 30000)`),
    ends: 'grey',
  },
  {
    title: 'a long poll and a timer that fetches',
    html: page(
      `fetch('/slow?60000'); setTimeout(() => fetch('/slow?300').then((r) => r.text()).then(() => setTimeout(done, 500)), 1000)`,
    ),
  },
  {
    title: 'an image that never comes and a late timer',
    html: page(`onload = () => { new Image().src = '/slow?60000' }; setTimeout(done, 2900)`),
  },
  {
    title: 'timers that take more than three seconds of real time',
    html: page(
      `let n = 0; const step = () => { const r = new XMLHttpRequest(); r.open('GET', '/slow?900', false); r.send(); if (++n === 4) done(); else setTimeout(step, 100) }; onload = () => setTimeout(step, 100)`,
    ),
  },
  {
    title: 'polling without end',
    html: page(
      `(function poll() { fetch('/slow?5').then(() => setTimeout(poll, 50)) })(); setTimeout(done, 500)`,
    ),
  },
  { title: 'an event stream', html: page(`new EventSource('/events').onmessage = done`) },
  {
    title: 'a WebSocket that stays open',
    // It is no request, so nothing but the fetch gives it the time to open.
    html: page(
      `new WebSocket(location.origin.replace('http', 'ws') + '/socket').onopen = done; fetch('/slow?1000')`,
    ),
  },
  {
    title: 'a worker with a timer',
    html: page(`${worker('setTimeout(() => postMessage(1), 150)')}.onmessage = done`),
  },
  {
    title: 'a worker from an address with a timer',
    html: page(`new Worker('/worker.js').onmessage = done`),
  },
  {
    title: 'a worker that fetches',
    html: page(
      `const w = ${worker('onmessage = (e) => fetch(e.data).then((r) => r.text()).then(() => postMessage(1))')}; w.onmessage = done; w.postMessage(location.origin + '/slow?300')`,
    ),
  },
  {
    title: 'an observer',
    html: page('new IntersectionObserver((e) => e[0].isIntersecting && done()).observe(box)'),
  },
  {
    title: 'an observer on a late box',
    html: page(
      'setTimeout(() => new IntersectionObserver((e) => e[0].isIntersecting && done()).observe(box), 400)',
    ),
  },
  {
    title: 'a fade-in',
    html: page('done()', '@keyframes in { from { opacity: 0 } } #box { animation: in 1s both }'),
  },
  {
    title: 'an animation without a script that ends beyond the three seconds',
    html: scriptless(
      '@keyframes in { from { opacity: 0 } } #box { background: #00a000; animation: in 5s step-end both }',
    ),
  },
  { title: 'no script at all', html: scriptless('#box { background: #00a000 }') },
  {
    title: 'a document that a script has rewritten',
    html: page(
      `onload = () => { document.open(); document.write(${JSON.stringify(scriptless('#box { background: #00a000 }'))}); document.close() }`,
    ),
  },
  {
    title: 'a transition set off by an observer',
    html: page(`new IntersectionObserver(done).observe(box)`, '#box { transition: background 0.8s }'),
  },
  {
    title: 'an animation of frames',
    html: page(
      `let t0; requestAnimationFrame(function step(t) { t0 ??= t; if (t - t0 > 500) done(); else { box.title = t; requestAnimationFrame(step) } })`,
    ),
  },
  { title: 'an idle callback', html: page('requestIdleCallback(done)') },
  {
    title: 'an animation without end',
    html: page(
      'done()',
      '@keyframes spin { to { rotate: 1turn } } #box { animation: spin 5s linear infinite }',
    ),
  },
  {
    title: 'a refresh',
    html: page('').replace('<style>', `<meta http-equiv="refresh" content="0;url=/green"><style>`),
  },
  {
    title: 'a script that navigates',
    html: page(`onload = () => setTimeout(() => { location = '/green' }, 300)`),
  },
  { title: 'a script that navigates before the load event', html: page(`location = '/green'`) },
  {
    title: 'a script that navigates to a slow server',
    html: page(`onload = () => { location = '/slow?60000' }`),
    ends: 'grey',
  },
  {
    title: 'a cross-site frame that fetches',
    html: page(
      `const f = document.createElement('iframe'); f.src = location.origin.replace('127.0.0.1', 'localhost') + '/framed'; document.body.append(f); onmessage = done`,
    ),
  },
];

before(async () => {
  ({ server, kit } = await openStage());
});
after(() => server.close());

describe('settle', { concurrency: 2 }, () => {
  for (const [index, { title, html, ends = 'green' }] of cases.entries()) {
    test(`4.3 settle: ${title}`, async () => {
      const phases = createPhases();
      const shot = await kit.shoot(server.route(`/case-${index}`, html), { phases });
      assert.equal(await colourOf(shot.bytes), ends, JSON.stringify(phases.measuredMs));
    });
  }
});

// A page that shows nothing gets more time. This page would use it to remove its content.
test('4.3 settle: a page whose content is in a shadow root is not taken for empty', async () => {
  const url = server.route(
    '/shadow',
    `<!doctype html><style>body { margin: 0 }</style><x-box></x-box><script>
      const root = document.querySelector('x-box').attachShadow({ mode: 'open' });
      root.innerHTML = '<p><i style="display: block; height: 200px; background: #00a000"></i>';
      setTimeout(() => { root.firstChild.remove() }, 4500)</script>`,
  );
  assert.equal(await colourOf((await kit.shoot(url, { width: 200, height: 200 })).bytes), 'green');
});

test('4.3 settle: an SVG whose animations are paused is shown as it is', async () => {
  const url = server.route(
    '/paused',
    `<!doctype html><style>body { margin: 0 }</style>${animated}
    <script>document.querySelector('svg').pauseAnimations()</script>`,
  );
  assert.equal(await colourOf((await kit.shoot(url, { width: 200, height: 200 })).bytes), 'rgb(255,0,0)');
});

test('a page that navigates, early or late, to an address without a page gives no picture', async () => {
  for (const [script, reason] of [
    [`location = 'http://10.0.0.1/'`, 'denied'],
    [`onload = () => setTimeout(() => { location = 'http://10.0.0.1/' }, 200)`, 'denied'],
    [`onload = () => setTimeout(() => { location = 'https://10.0.0.1/' }, 200)`, 'denied'],
    [`onload = () => setTimeout(() => { location = 'http://nowhere.invalid/' }, 200)`, 'unresolved'],
  ] as const) {
    await assert.rejects(kit.shoot(server.route('/leaves', page(script))), (error: RenderFailure) => {
      assert.equal(error.reason, reason, `${script}: ${String(error)}`);
      return true;
    });
  }
});
