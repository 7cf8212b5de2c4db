// Attacks by pages: one account renders them repeatedly, as many at once as its plan allows.
import { flood, type Attack } from '#lab/prove/neighbours/attack.ts';
import { shoot } from '#lab/prove/neighbours/target.ts';
import { slowToDraw } from '#lab/support/slow-to-draw.ts';
import type { Route } from '#lab/support/page-server.ts';

const start = '<!doctype html><body style="margin:0;background:#00a000"><p>text';
const loop = (script: string): string => `${start}<script>let i = 0; for (;;) { i++; ${script} }</script>`;
const onEveryTurn = (script: string): string =>
  `${start}<script>let i = 0; setInterval(() => { for (let n = 0; n < 1000; n++) { i++; ${script} } })</script>`;

/** At once; the plan allows 25. */
const atOnce = 8;

const rows: [name: string, resource: string, path: string, page: Route, body?: object][] = [
  ['pages that never answer', 'render places', '/never', () => {}],
  ['pages that never end', 'render places', '/busy', loop('')],
  [
    'history.replaceState without end',
    'browser process',
    '/replace',
    loop(`history.replaceState(0, '', '#' + i)`),
  ],
  ['console.log without end', 'browser process', '/console', loop(`console.log('text '.repeat(100), i)`)],
  ['postMessage without end', 'browser process', '/post', onEveryTurn(`postMessage('x'.repeat(1000), '*')`)],
  ['window.open without end', 'browser process', '/open', onEveryTurn(`window.open('about:blank')`)],
  ['pages that are slow to draw', 'drawing', '/slow', start + slowToDraw['backdrop filters']],
  [
    'pages that take memory',
    'memory',
    '/memory',
    `${start}<script>const kept = []; setInterval(() => kept.push(new Uint8Array(5e7).fill(1)), 20)</script>`,
  ],
  [
    'pictures of noise',
    'memory and thread pool',
    '/noise',
    `${start}<canvas id=c width=3840 height=2160></canvas><script>const g = c.getContext('2d'), d = g.createImageData(3840, 2160);
    for (let i = 0; i < d.data.length; i += 65536) crypto.getRandomValues(d.data.subarray(i, i + 65536)); for (let i = 3; i < d.data.length; i += 4) d.data[i] = 255; g.putImageData(d, 0, 0)</script>`,
    { width: 3840, height: 2160 },
  ],
  [
    'a page with pictures from 500 hosts',
    'name look-ups',
    '/names',
    `${start}${Array.from({ length: 500 }, (_, host) => `<img src="http://n${host}.example.com/">`).join('')}`,
  ],
  [
    'a page of 2,000 requests',
    'proxy doors',
    '/requests',
    `${start}${Array.from({ length: 2_000 }, (_, picture) => `<img src="/pixel?${picture}">`).join('')}`,
  ],
];

export const hostileRoutes: Record<string, Route> = {
  ...Object.fromEntries(rows.map(([, , path, page]) => [path, page])),
  '/pixel': (_request, response) => void response.setHeader('content-type', 'image/gif').end(),
};

export const pageAttacks: Attack[] = [
  ...rows.map(([name, resource, path, , body]): Attack => ({
    name,
    resource,
    run: (target, isOver) =>
      flood(isOver, atOnce, async (_, signal) => {
        const answer = await shoot(target, target.pages + path, { signal }, body);
        await answer.body?.cancel();
      }),
  })),
  {
    name: 'replays of a picture of noise that nobody reads',
    resource: 'memory',
    run: (target, isOver) =>
      flood(isOver, atOnce, async (_, signal) => {
        const answer = await shoot(
          target,
          `${target.pages}/noise`,
          { signal, headers: { 'idempotency-key': 'replayed' } },
          { width: 3840, height: 2160 },
        );
        // Requested and abandoned: the next request uses another connection.
        if (!answer.ok) await answer.body?.cancel();
        else void setTimeout(() => void answer.body?.cancel().catch(() => {}), 2_000);
      }),
  },
];
