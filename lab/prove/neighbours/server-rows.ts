// What hostile pages do together with their servers, some of them at 40 addresses. Adding an attack is adding a row.
import { onEveryTurn, start, type PageRow } from '#lab/prove/neighbours/page-rows.ts';
import { attackerHosts } from '#lab/prove/neighbours/target.ts';
import type { Route } from '#test/support/page-server.ts';
import { slowToDraw } from '#test/support/slow-to-draw.ts';

/** Runs the script for each of the first hosts, as `host`. */
const forHosts = (count: number, script: string): string =>
  `${start}<script>for (const address of ${JSON.stringify(attackerHosts.slice(0, count))}) { const host = address + ':' + location.port; ${script} }</script>`;
const framesOf = (path: string): string =>
  forHosts(
    20,
    `document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://' + host + '${path}' }))`,
  );
const picturesOf = (hosts: number, each: number, path: string): string =>
  forHosts(hosts, `for (let n = 0; n < ${each}; n++) new Image().src = 'http://' + host + '${path}?' + n`);

/** The hostile page first, and a plain one for the second attempt at the same address. */
function onlyOnce(page: string): Route {
  const seen = new Set<string>();
  return ({ url = '' }, response) => {
    const isFirst = !seen.has(url);
    seen.add(url);
    response.setHeader('content-type', 'text/html').end(isFirst ? page : `${start} that is plain`);
  };
}

export const serverRows: PageRow[] = [
  {
    name: '6 pictures in chunks of one byte',
    resource: 'proxy doors',
    path: '/chunks-6',
    page: picturesOf(1, 6, '/chunks'),
  },
  {
    name: '240 pictures on 40 hosts in chunks of one byte',
    resource: 'proxy doors',
    path: '/chunks-240',
    page: picturesOf(40, 6, '/chunks'),
  },
  {
    name: '30 answers whose Connection header has 60,000 names',
    resource: 'proxy doors',
    path: '/heads-30',
    page: picturesOf(5, 6, '/head'),
  },
  {
    name: '240 answers on 40 hosts whose Connection header has 60,000 names',
    resource: 'proxy doors',
    path: '/heads-240',
    page: picturesOf(40, 6, '/head'),
  },
  {
    name: '256 connections of a page',
    resource: 'proxy doors',
    path: '/connections',
    page: forHosts(40, `for (let n = 0; n < 7; n++) new WebSocket('ws://' + host + '/never')`),
  },
  {
    name: '80,000 open fetches of 20 frames',
    resource: 'browser process',
    path: '/fetches',
    page: framesOf('/fetches-frame'),
  },
  {
    name: 'text in 20 frames, laid out without end',
    resource: 'processor',
    path: '/text',
    page: framesOf('/text-frame'),
  },
  {
    name: 'pages that take memory for drawing, and are plain the second time',
    resource: 'drawing',
    path: '/canvases-once',
    page: onlyOnce(`${start}<script>setInterval(() => {
      const canvas = document.body.appendChild(Object.assign(document.createElement('canvas'), { width: 4096, height: 4096 }));
      canvas.getContext('2d').fillRect(0, 0, 4096, 4096) })</script>`),
  },
  {
    name: 'pages that are slow to draw, and are plain the second time',
    resource: 'drawing',
    path: '/slow-once',
    page: onlyOnce(start + slowToDraw['backdrop filters']),
  },
];

/** What the pages load. */
export const serverRoutes: Record<string, Route> = {
  '/pixel': (_request, response) => void response.setHeader('content-type', 'image/gif').end(),
  '/chunks': ({ socket }) => {
    const chunks = '1\r\nx\r\n'.repeat(10_000);
    const send = (): void => void (socket.writable && socket.write(chunks));
    // An SVG is read to its end before it is found to be none.
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: image/svg+xml\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.on('error', () => {}).on('drain', send);
    send();
  },
  '/head': ({ socket }) => {
    const others = Array.from({ length: 1_900 }, (_, index) => `x${index}: y\r\n`).join('');
    const names = 'a,'.repeat(60_000);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: ${names}b\r\n${others}\r\n`);
  },
  '/fetches-frame': `${start}<script>for (let n = 0; n < 4_000; n++) fetch('/never?' + n).catch(() => {})</script>`,
  '/text-frame': `${onEveryTurn(
    `p.style.font = 'italic ' + (i % 500) / 10 + 'px ' + ['serif', 'sans-serif', 'monospace'][i % 3]; p.offsetHeight`,
  )}<script>p.textContent = 'Text שלום مرحبا नमस्ते 漢字 한국어 สวัสดี 😀 '.repeat(500)</script>`,
};
