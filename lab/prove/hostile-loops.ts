// Pages that do one thing to the browser without end. The process that serves every render handles each of these calls, so a loop
// in one page may delay all others. Adding a loop is adding a row.
import type { HostilePage } from '#lab/prove/hostile-page-table.ts';
import type { Route } from '#test/support/page-server.ts';

const start = '<!doctype html><body style="margin:0;background:#00a000"><p id=p>text';

/** In one task: the page never gets to its load event. */
const tight = (script: string) => `${start}<script>let i = 0; for (;;) { i++; ${script} }</script>`;
/** From the load event on, in tasks of 10 ms with no time between them, on every turn of the event loop. */
const steady = (script: string, before = '') =>
  `${start}<script>${before}
  let i = 0;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { for (const end = performance.now() + 10; performance.now() < end;) { i++; ${script} } port2.postMessage(0) };
  port2.postMessage(0)</script>`;

/** A flood delays its siblings by up to some seconds, until it is paused or ended. */
type Kind = 'quick' | 'flood';

const rows: [title: string, page: Route, kind?: Kind][] = [
  ['history.replaceState', tight(`history.replaceState(null, '', '#' + i)`), 'quick'],
  ['history.pushState', tight(`history.pushState(null, '', '#' + i)`)],
  ['history.pushState from the load event on', steady(`history.pushState('x'.repeat(1000), '', '#' + i)`)],
  ['location.hash', tight('location.hash = i')],
  ['location.replace to a fragment', steady(`location.replace('#' + i)`)],
  ['history.back', steady('history.back()'), 'quick'],
  ['document.title', tight('document.title = i')],
  ['document.title from the load event on', steady('document.title = i')],
  ['the page icon', steady(`document.head.innerHTML = '<link rel=icon href="/pixel?' + i + '">'`)],
  ['console.log', tight(`console.log('text '.repeat(100), i)`), 'flood'],
  ['errors', steady(`setTimeout(() => { throw new Error(i) })`)],
  ['postMessage to itself', tight(`postMessage('x'.repeat(10000), '*')`)],
  [
    'postMessage between sites',
    `${start}<iframe sandbox=allow-scripts srcdoc="<script>onmessage = () => {}</script>"></iframe><script>const [frame] = frames; setInterval(() => { for (let i = 0; i < 1000; i++) frame.postMessage('x'.repeat(10000), '*') })</script>`,
  ],
  ['window.open', tight(`window.open('/pixel?' + i)`)],
  ['window.open of blank windows', steady(`window.open('about:blank')`)],
  ['blob URLs', tight(`URL.createObjectURL(new Blob([i]))`)],
  ['blob URLs, fetched', steady(`fetch(URL.createObjectURL(new Blob(['x'.repeat(1000)])))`), 'flood'],
  ['data URLs, fetched', steady(`fetch('data:,' + i)`)],
  ['workers', steady(`new Worker(work)`, `const work = URL.createObjectURL(new Blob(['']));`), 'flood'],
  [
    'workers that ended',
    steady(`new Worker(work).terminate()`, `const work = URL.createObjectURL(new Blob(['']));`),
    'flood',
  ],
  ['shared workers', steady(`new SharedWorker('data:text/javascript,' + i)`), 'flood'],
  ['WebSockets', steady(`new WebSocket('ws://' + location.host + '/never')`)],
  ['WebSockets, closed again', steady(`new WebSocket('ws://' + location.host + '/never').close()`)],
  ['event sources', steady(`new EventSource('/never?' + i)`)],
  ['fetch', steady(`fetch('/pixel?' + i)`)],
  [
    'fetch, given up',
    steady(`const stop = new AbortController(); fetch('/pixel?' + i, stop).catch(() => {}); stop.abort()`),
  ],
  ['beacons', steady(`navigator.sendBeacon('/pixel?' + i, 'x'.repeat(1000))`)],
  ['print', tight('print()')],
  ['alert', tight('alert(i)')],
  ['alert from the load event on', steady('alert(i)')],
  ['cookies', tight(`document.cookie = 'c' + (i % 100) + '=' + 'x'.repeat(3000)`)],
  ['localStorage', tight(`localStorage.setItem('k' + (i % 100), String(i).repeat(1000))`)],
  ['sessionStorage', tight(`sessionStorage.setItem('k' + (i % 100), String(i).repeat(1000))`)],
  ['IndexedDB databases', steady(`indexedDB.open('d' + i)`)],
  [
    'IndexedDB writes',
    `${start}<script>const open = indexedDB.open('d'); open.onupgradeneeded = () => open.result.createObjectStore('s');
    open.onsuccess = () => { let i = 0; (function more() { const t = open.result.transaction('s', 'readwrite'); for (let n = 0; n < 1000; n++) t.objectStore('s').put('x'.repeat(1000), i++ % 5000); t.oncomplete = more })() }</script>`,
  ],
  [
    'cache storage',
    steady(`caches.open('c' + i % 100).then((c) => c.put('/x' + i % 1000, new Response('x'.repeat(1000))))`),
  ],
  [
    'BroadcastChannel',
    steady(
      `channel.postMessage('x'.repeat(1000))`,
      `const channel = new BroadcastChannel('c'); new BroadcastChannel('c').onmessage = () => {};`,
    ),
  ],
  ['frames', steady(`document.body.append(document.createElement('iframe'))`)],
  [
    'frames, taken away again',
    steady(`const f = document.createElement('iframe'); document.body.append(f); f.remove()`),
  ],
  [
    'frames that load',
    steady(`document.body.append(Object.assign(document.createElement('iframe'), { src: '/pixel?' + i }))`),
  ],
  ['service workers', steady(`navigator.serviceWorker.register('/script.js?' + i).catch(() => {})`), 'flood'],
  [
    'canvas.toBlob',
    steady(
      `c.toBlob(() => {})`,
      `const c = new OffscreenCanvas(1, 1); c.toBlob = (then) => c.convertToBlob().then(then); c.getContext('2d');`,
    ),
  ],
  [
    'canvas.toDataURL',
    tight(
      `c ??= Object.assign(document.createElement('canvas'), { width: 500, height: 500 }); c.toDataURL()`,
    ).replace('let i', 'let c, i'),
  ],
  ['WebGL contexts', steady(`document.createElement('canvas').getContext('webgl')`)],
  [
    'beforeunload',
    `${start}<script>onbeforeunload = (e) => e.preventDefault(); setInterval(() => { location.href = '/pixel?' + Math.random() }, 0)</script>`,
  ],
  ['reload', `${start}<script>location.reload()</script>`],
  ['animations', steady(`p.animate([{ opacity: 0 }, { opacity: 1 }], 100000)`)],
  [
    'permissions',
    steady(
      `navigator.permissions.query({ name: 'geolocation' }).catch(() => {}); navigator.geolocation.getCurrentPosition(() => {}, () => {})`,
    ),
  ],
  ['locks', steady(`navigator.locks.request('l' + i, () => new Promise(() => {}))`), 'flood'],
  ['web fonts', steady(`new FontFace('f' + i, 'url(/pixel?' + i + ')').load().catch(() => {})`)],
  [
    'selection and focus',
    steady(
      `getSelection().selectAllChildren(p); document.body.tabIndex = i % 2; document.body.focus(); p.scrollIntoView()`,
    ),
  ],
  ['speech and media', steady(`new Audio('data:audio/wav,' + i).play().catch(() => {})`)],
  [
    'WebRTC connections',
    steady(
      `try { new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:1' }] }).createDataChannel('d') } catch {}`,
    ),
  ],
];

export const hostileLoops: HostilePage[] = rows.map(([title, page, kind]) => ({
  title: `without end: ${title}`,
  page,
  answers: [200, 502],
  ...(kind === 'quick' && { isQuick: true }),
  ...(kind === 'flood' && { isFlood: true }),
}));
