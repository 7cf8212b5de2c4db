// What hostile pages do by themselves. Adding an attack is adding a row.
import type { Route } from '#test/support/page-server.ts';
import { slowToDraw } from '#test/support/slow-to-draw.ts';

export interface PageRow {
  name: string;
  resource: string;
  path: string;
  page: Route;
  endpoint?: 'pdf';
  /** The render's other options. */
  body?: object;
  /** Renders at once; 8 by default, and the plan allows 25. */
  atOnce?: number;
}

export const start = '<!doctype html><body style="margin:0;background:#00a000"><p id=p>text';
const loop = (script: string): string => `${start}<script>let i = 0; for (;;) { i++; ${script} }</script>`;
/** A thousand times on every turn of the page's event loop. */
export const onEveryTurn = (script: string): string =>
  `${start}<script>let i = 0; setInterval(() => { for (let n = 0; n < 1000; n++) { i++; ${script} } })</script>`;

export const pageRows: PageRow[] = [
  { name: 'pages that never answer', resource: 'render places', path: '/never', page: () => {} },
  { name: 'pages that never end', resource: 'render places', path: '/busy', page: loop('') },
  {
    name: 'history.replaceState without end',
    resource: 'browser process',
    path: '/replace',
    page: loop(`history.replaceState(0, '', '#' + i)`),
  },
  {
    name: 'console.log without end',
    resource: 'browser process',
    path: '/console',
    page: loop(`console.log('text '.repeat(100), i)`),
  },
  {
    name: 'postMessage without end',
    resource: 'browser process',
    path: '/post',
    page: onEveryTurn(`postMessage('x'.repeat(1000), '*')`),
  },
  {
    name: 'window.open without end',
    resource: 'browser process',
    path: '/open',
    page: onEveryTurn(`window.open('about:blank')`),
  },
  {
    name: 'cookieStore.getAll without end, 150 cookies',
    resource: 'browser process',
    path: '/cookies',
    page: `${start}<script>for (let n = 0; n < 150; n++) document.cookie = 'c' + n + '=' + 'x'.repeat(1000)</script>${onEveryTurn('cookieStore.getAll()')}`,
  },
  {
    name: '3,000 elements that share an attribute of 100 KB',
    resource: 'messages of the browser',
    path: '/elements',
    page: `${start}<script>const text = 'x'.repeat(100_000);
      for (let n = 0; n < 3_000; n++) document.body.appendChild(document.createElement('i')).setAttribute('title', text)</script>`,
  },
  {
    name: 'a readyState of 100 MB, printed',
    resource: 'messages of the browser',
    path: '/ready-state',
    page: `${start}<script>Object.defineProperty(document, 'readyState', { get: () => 'x'.repeat(100_000_000) })</script>`,
    endpoint: 'pdf',
  },
  {
    name: 'fetches of data URLs of 20 MB',
    resource: 'messages of the browser',
    path: '/data',
    page: `${start}<script>const url = 'data:,' + 'x'.repeat(20_000_000); setInterval(() => fetch(url), 50)</script>`,
  },
  {
    name: 'fetches of 30 workers from an empty cache',
    resource: 'messages of the browser',
    path: '/workers',
    page: `${start}<script>const work = "setInterval(() => { for (let n = 0; n < 60; n++) fetch(location.origin + '/none', { cache: 'only-if-cached', mode: 'same-origin' }).catch(() => {}) })";
      for (let n = 0; n < 30; n++) new Worker(URL.createObjectURL(new Blob([work])))</script>`,
  },
  {
    name: 'pages that are slow to draw',
    resource: 'drawing',
    path: '/slow',
    page: start + slowToDraw['backdrop filters'],
  },
  {
    name: 'pages that take memory',
    resource: 'memory',
    path: '/memory',
    page: `${start}<script>const kept = []; setInterval(() => kept.push(new Uint8Array(5e7).fill(1)), 20)</script>`,
  },
  {
    name: 'two pages of 1.2 GiB',
    resource: 'memory',
    path: '/large',
    page: `${start}<script>const kept = []; for (let n = 0; n < 12; n++) kept.push(new Uint8Array(2 ** 30 / 10).fill(1))</script><img src="/never">`,
    atOnce: 2,
  },
  {
    name: 'pictures of noise',
    resource: 'memory and thread pool',
    path: '/noise',
    page: `${start}<canvas id=c width=3840 height=2160></canvas><script>const g = c.getContext('2d'), d = g.createImageData(3840, 2160);
    for (let i = 0; i < d.data.length; i += 65536) crypto.getRandomValues(d.data.subarray(i, i + 65536)); for (let i = 3; i < d.data.length; i += 4) d.data[i] = 255; g.putImageData(d, 0, 0)</script>`,
    body: { width: 3840, height: 2160 },
  },
  {
    name: 'a page with pictures from 500 hosts',
    resource: 'name look-ups',
    path: '/names',
    page: `${start}${Array.from({ length: 500 }, (_, host) => `<img src="http://n${host}.example.com/">`).join('')}`,
  },
  {
    name: 'a page of 2,000 requests',
    resource: 'proxy doors',
    path: '/requests',
    page: `${start}${Array.from({ length: 2_000 }, (_, picture) => `<img src="/pixel?${picture}">`).join('')}`,
  },
];
