// The picture shows what a page does after its load event, and work that never ends does not delay it. Spec 4.3 (network settle).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createPhases } from '#core/phases.ts';
import type { RenderFailure } from '#browser/browser.ts';
import { startTestBrowser } from '#test/support/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import { slowRoute, startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { readPdf } from '#test/support/pdf.ts';
import { colourOf, decode, nameOf } from '#test/support/pixels.ts';

let server: PageServer;
let kit: TestBrowser;

/** A grey box that the script turns green when it has finished. */
const page = (script: string, style = '') =>
  `<!doctype html><style>#box { width: 200px; height: 200px; background: #dddddd } ${style}</style><div id="box"></div>
  <script>const done = () => { document.getElementById('box').style.background = '#00a000' }; ${script}</script>`;

/** The same page without scripts. */
const scriptless = (css: string) => page('', css).replace(/<script>.*<\/script>/s, '');

const svgOf = (
  fill: string,
  inside = '',
) => `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">
  <rect width="200" height="200" fill="${fill}">${inside}</rect></svg>`;

const turnsGreen = (begin: string) => `<set attributeName="fill" to="#00a000" begin="${begin}"/>`;

const worker = (script: string) => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])))`;

const cases: { title: string; html: string; ends?: string; mostMs?: number }[] = [
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
    html: page(`new WebSocket(location.origin.replace('http', 'ws') + '/socket').onopen = done`),
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
    mostMs: 8_000,
  },
  {
    title: 'a cross-site frame that fetches',
    html: page(
      `const f = document.createElement('iframe'); f.src = location.origin.replace('127.0.0.1', 'localhost') + '/framed'; document.body.append(f); onmessage = done`,
    ),
  },
];

before(async () => {
  server = await startPageServer({
    '/slow': slowRoute,
    '/green': page('done()'),
    '/late': page('setTimeout(done, 2900)'),
    '/animated.svg': (_, response) => {
      response.setHeader('content-type', 'image/svg+xml').end(svgOf('red', turnsGreen('2s')));
    },
    '/green.svg': (_, response) => {
      response.setHeader('content-type', 'image/svg+xml');
      setTimeout(() => response.end(svgOf('#00a000')), 50);
    },
    '/dot.svg': (_, response) => {
      response
        .setHeader('content-type', 'image/svg+xml')
        .end('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
    },
    '/worker.js': (_, response) => {
      response.setHeader('content-type', 'text/javascript').end('setTimeout(() => postMessage(1), 150)');
    },
    '/events': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    },
    '/framed': `<!doctype html><script>onload = () => setTimeout(() => fetch('/slow?100').then(() => parent.postMessage(1, '*')), 200)</script>`,
  });
  server.onUpgrade((request, socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
  });
  kit = await startTestBrowser([server.host, server.host.replace('127.0.0.1', 'localhost')]);
});
after(async () => {
  await kit.close();
  await server.close();
});

describe('settle', { concurrency: 2 }, () => {
  for (const [index, { title, html, ends = 'green', mostMs = 20_000 }] of cases.entries()) {
    test(`4.3 settle: ${title}`, async () => {
      const phases = createPhases();
      const shot = await kit.shoot(server.route(`/case-${index}`, html), { phases });
      assert.equal(await colourOf(shot.bytes), ends, JSON.stringify(phases.measuredMs));
      // At most ten seconds of work, then one more for a page in motion; the rest allows for a busy machine.
      const settleMs = phases.measuredMs['settle']!;
      assert.ok(settleMs < mostMs, `settled in ${settleMs} ms`);
    });
  }
});

// On a quiet machine, one document in ten is first drawn after its three seconds: its motions then begin only with the picture.
test('4.3 settle: motions are at their end in every picture of a page', async () => {
  const animations = '#box { animation: in 1s both } #late { animation: in 5s step-end both }';
  const url = server.route(
    '/motions',
    `${page(
      'requestIdleCallback(done)',
      `html { scroll-behavior: smooth } body { margin: 0 } @keyframes in { from { opacity: 0 } } ${animations}
      #above { height: 3000px } #late { width: 200px; height: 700px; background: #00a000 }`,
    ).replace('<div id="box">', '<div id="above"></div><div id="box">')}<div id="late"></div>`,
  );
  const turns = Array.from({ length: 24 }, (_, turn) => turn);
  const takeNext = async (): Promise<void> => {
    const turn = turns.shift();
    if (turn === undefined) return;
    const picture = await decode((await kit.shoot(`${url}#box`, { width: 400, height: 400 })).bytes);
    const seen = [picture.at(100, 100), picture.at(100, 300)].map(nameOf);
    assert.deepEqual(
      seen,
      ['green', 'green'],
      `picture ${turn}: the box that is scrolled to, and the one below`,
    );
    await takeNext();
  };
  await Promise.all([takeNext(), takeNext()]);
});

const animated = svgOf('red', turnsGreen('5s'));

// The first three used to make the script that finishes motions fail, so that the motions stayed at their start. The last two, and
// one in twelve pictures of the others, showed the SVG at its start: its clock was advanced before its first frame, or not at all.
for (const [title, body] of Object.entries({
  'next to an animation at rate 0': `<div id="still"></div>
    <script>still.animate({ opacity: [0, 1] }, 1e3).playbackRate = 0; box.animate({ opacity: [0, 0] }, 5e3)</script>`,
  'next to an element that is only named svg': `<script>
    box.before(document.createElement('svg')); box.previousSibling.append(document.createElement('animate'))</script>`,
  'next to an element with the name of a variable': '<p id="advanced"></p>',
  'in an SVG within an SVG': `<script>svg.innerHTML = \`${animated.replace('</rect>', `</rect>${animated}`)}\`</script>`,
  'in an SVG that is added late': `<script>setTimeout(() => { svg.innerHTML = svg.innerHTML }, 2900)</script>`,
})) {
  test(`4.3 settle: motions are at their end ${title}`, async () => {
    const url = server.route(
      '/motions',
      `${page('done()', 'body { margin: 0 } #box { animation: in 5s step-end both } @keyframes in { from { opacity: 0 } }')}
      <div id="svg">${animated}</div>${body}`,
    );
    for (let turn = 0; turn < 4; turn += 1) {
      const shots = [1, 2].map(() => kit.shoot(url, { width: 400, height: 400 }));
      for (const { bytes } of await Promise.all(shots)) {
        const picture = await decode(bytes);
        assert.deepEqual([picture.at(100, 100), picture.at(100, 300)].map(nameOf), ['green', 'green']);
      }
    }
  });
}

const fading = `<style>body { margin: 0 } div { width: 200px; height: 200px; background: #00a000; animation: in 2s both }
  @keyframes in { from { opacity: 0 } }</style><div></div>`;
const lazyImages = Array.from(
  { length: 40 },
  (_, index) => `<img loading="lazy" src="/green.svg?${index}" width="50" height="50">`,
);

// Lazy images are requested, and motions in frames and images begin, when a frame is drawn. One in three screenshots was taken
// before that.
for (const [title, body] of Object.entries({
  'lazy images of a page without scripts': lazyImages.join(''),
  'a frame that fades in': `<iframe srcdoc='${fading}'></iframe>`,
  'an animated SVG in a frame': '<iframe src="/animated.svg"></iframe>',
  'an animated SVG as an object': '<object data="/animated.svg"></object>',
  'an animated SVG as an image': '<img src="/animated.svg">',
})) {
  test(`4.3 settle: the first frame is drawn before the page's time runs: ${title}`, async () => {
    const style =
      'body { margin: 0 } iframe, object { width: 200px; height: 200px; border: 0; display: block }';
    const url = server.route('/framed', `<!doctype html><style>${style}</style>${body}`);
    for (let turn = 0; turn < 8; turn += 1)
      assert.equal(
        await colourOf((await kit.shoot(url, { width: 800, height: 600 })).bytes, 20, 20),
        'green',
      );
  });
}

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

// Commands to the old document while the new one arrived used to fail in one of several renders.
for (const [title, script] of Object.entries({
  'a script': `location = '/green'`,
  'a script, twice': `location.replace('/on')`,
  'a form': `document.forms[0].submit()`,
  'a script that navigates to another site': `location = location.origin.replace('127.0.0.1', 'localhost') + '/green'`,
})) {
  test(`a page that navigates from its load event is shown where it arrives: ${title}`, async () => {
    server.route('/on', page(`onload = () => { location = '/green' }`));
    const url = server.route('/goes', `${page(`onload = () => { ${script} }`)}<form action="/green"></form>`);
    for (let turn = 0; turn < 3; turn += 1) {
      const [viewport, fullPage, pdf] = await Promise.all([
        kit.shoot(url, { width: 400, height: 400 }),
        kit.shoot(url, { width: 400, height: 400, fullPage: true }),
        kit.print(url, { waitUntil: 'load' }),
      ]);
      assert.deepEqual([await colourOf(viewport.bytes), await colourOf(fullPage.bytes)], ['green', 'green']);
      assert.ok(
        readPdf(pdf.bytes)[0]!.fills.some(({ colour }) => colour === '0 160 0'),
        'the PDF is green',
      );
    }
  });
}

// The settle of the first document, which is left early, used to end that of the second before its time in two of five renders.
test('4.3 settle: a page that navigates by itself gets all of its time where it arrives', async () => {
  const url = server.route('/early', page(`onload = () => setTimeout(() => { location = '/late' }, 600)`));
  for (let turn = 0; turn < 8; turn += 1) {
    const shots = [1, 2].map(() => kit.shoot(url, { width: 400, height: 400 }));
    for (const { bytes } of await Promise.all(shots)) assert.equal(await colourOf(bytes), 'green');
  }
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
