// The pages on which settling is judged: a box that a script, a motion or an SVG turns green when it has finished.
import { createHash } from 'node:crypto';
import { useTestBrowser } from '#test/support/browser.ts';
import { slowRoute, startPageServer } from '#test/support/page-server.ts';

/** A grey box that the script turns green when it has finished. */
export const page = (script: string, style = '') =>
  `<!doctype html><style>#box { width: 200px; height: 200px; background: #dddddd } ${style}</style><div id="box"></div>
  <script>const done = () => { document.getElementById('box').style.background = '#00a000' }; ${script}</script>`;

const svgOf = (
  fill: string,
  inside = '',
) => `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">
  <rect width="200" height="200" fill="${fill}">${inside}</rect></svg>`;

const turnsGreen = (begin: string) => `<set attributeName="fill" to="#00a000" begin="${begin}"/>`;
export const animated = svgOf('red', turnsGreen('5s'));

export async function openStage() {
  const server = await startPageServer({
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
  const kit = await useTestBrowser([server.host, server.host.replace('127.0.0.1', 'localhost')]);
  return { server, kit };
}
