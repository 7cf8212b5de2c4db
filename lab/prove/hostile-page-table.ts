// Pages that a service which opens any page must survive, as data: what they do, and which responses of the contract are right.
// Adding a page is adding a row.
import type { ServerResponse } from 'node:http';
import type { Route } from '#test/support/page-server.ts';
import { hostileLoops } from '#lab/prove/hostile-loops.ts';
import { slowToDraw } from '#test/support/slow-to-draw.ts';
import { cpuMs, descendants } from '#test/support/process-table.ts';

export interface HostilePage {
  title: string;
  page: Route;
  /** The render's other options. */
  body?: object;
  answers: (200 | 502)[];
  /** Also in the short form: it ends within seconds and uses little CPU. */
  isQuick?: true;
  /** It keeps the browser too busy, which may then be ended: siblings are rendered again, and none may fail. */
  isFlood?: true;
  /** Served over TLS and HTTP/2. */
  isTunnelled?: true;
  /** What is done to the browser while the page loads. Done once, before the siblings. */
  strike?: (servicePid: number) => Promise<void>;
}

const start = '<!doctype html><body style="margin:0;background:#00a000"><p>text';
const html = { 'content-type': 'text/html' };
const gigabyte = 1024 ** 3;

export const hostilePages: HostilePage[] = [
  { title: 'an endless script', page: `${start}<script>for (;;);</script>`, answers: [502] },
  {
    title: 'endless work in a hundred workers',
    page: `${start}<script>const work = URL.createObjectURL(new Blob(['for (;;);'])); for (let i = 0; i < 100; i++) new Worker(work)</script>`,
    answers: [200, 502],
  },
  {
    title: 'endless growth of the DOM in one script',
    page: `${start}<script>for (;;) document.body.append(document.createElement('p'))</script>`,
    answers: [502],
  },
  {
    title: 'endless growth of the DOM by timers',
    page: `${start}<script>(function grow() { for (let i = 0; i < 2000; i++) document.body.append('word '); setTimeout(grow) })()</script>`,
    answers: [200, 502],
  },
  {
    title: 'a memory bomb',
    page: `${start}<script>const hold = []; (function more() { for (let i = 0; i < 4; i++) hold.push(new Uint8Array(16 << 20).fill(1)); setTimeout(more) })()</script><img src="/never">`,
    answers: [502],
  },
  {
    title: 'the page process killed while it loads',
    page: `${start}<img src="/never"><script>setInterval(() => { for (const end = Date.now() + 40; Date.now() < end;); }, 50)</script>`,
    answers: [502],
    strike: killBusiestRenderer,
    isQuick: true,
  },
  {
    title: 'the GPU process killed while it loads',
    page: `${start}<canvas id=c></canvas><script>c.getContext('webgl')</script><img src="/soon">`,
    answers: [200, 502],
    strike: killGpuProcess,
    isQuick: true,
  },
  ...Object.entries(slowToDraw).map(([title, body]): HostilePage => ({
    title: `slow to draw: ${title}`,
    page: start + body,
    answers: [200, 502],
    isFlood: true,
  })),
  { title: '50 MB of images', page: start + images(50, '/megabyte'), answers: [200] },
  { title: '10,000 requests', page: start + images(10_000, '/pixel'), answers: [200, 502] },
  {
    title: '10,000 requests over one HTTP/2 connection',
    page: start + images(10_000, '/pixel'),
    answers: [200, 502],
    isTunnelled: true,
  },
  {
    title: '200,000 px tall, captured in full',
    page: `${start}<div style="height:200000px;background:linear-gradient(red,blue)">`,
    body: { full_page: true },
    answers: [200],
  },
  {
    title: 'endless redirects by the server',
    page: (request, response) => void response.writeHead(302, { location: request.url }).end(),
    answers: [502],
    isQuick: true,
  },
  {
    title: 'endless redirects by script',
    page: `${start}<script>onload = () => { location.search = Number(location.search.slice(1)) + 1 }</script>`,
    answers: [200, 502],
  },
  {
    title: 'an endless poll',
    page: `${start}<script>(async () => { for (;;) await fetch('/poll') })()</script>`,
    answers: [200],
  },
  {
    title: 'a poll that is never answered',
    page: `${start}<script>fetch('/never')</script>`,
    answers: [200],
  },
  {
    title: 'dialogs',
    page: `${start}<script>alert(1); confirm(2); prompt(3)</script>`,
    answers: [200],
    isQuick: true,
  },
  { title: 'dialogs without end', page: `${start}<script>for (;;) alert(1)</script>`, answers: [502] },
  {
    title: 'print dialogs',
    page: `${start}<script>for (let i = 0; i < 100; i++) print()</script>`,
    answers: [200],
  },
  { title: 'a response that drips', page: (_, response) => drip(response), answers: [502] },
  {
    title: 'a password prompt',
    page: (_, response) =>
      void response.writeHead(401, { ...html, 'www-authenticate': 'Basic realm="x"' }).end(start),
    answers: [200],
  },
  {
    title: 'a download of 2 GB',
    page: (_, response) =>
      pour(response, { 'content-type': 'application/zip', 'content-disposition': 'attachment' }),
    answers: [502],
    isQuick: true,
  },
  { title: 'a page of 2 GB', page: (_, response) => pour(response, html), answers: [200, 502] },
  ...hostileLoops,
];

function images(count: number, path: string): string {
  return `<script>for (let i = 0; i < ${count}; i++) document.body.append(Object.assign(new Image(), { src: '${path}?' + i }))</script>`;
}

function drip(response: ServerResponse): void {
  response.writeHead(200, html).write(start);
  const timer = setInterval(() => response.write(' and more'), 300);
  response.on('close', () => clearInterval(timer));
}

/** 2 GB as fast as the client reads. */
function pour(response: ServerResponse, headers: Record<string, string>): void {
  response.writeHead(200, { ...headers, 'content-length': 2 * gigabyte });
  const chunk = Buffer.alloc(256 * 1024, 'text ');
  let left = 2 * gigabyte;
  const more = () => {
    let isTaken = true;
    for (; isTaken && left > 0 && !response.destroyed; left -= chunk.length) isTaken = response.write(chunk);
    if (left <= 0) response.end();
  };
  response.on('drain', more);
  more();
}

const processesOf = (servicePid: number, type: string) =>
  descendants(servicePid).filter(({ command }) => command.includes(`--type=${type}`));

/** Only the hostile page is working at this moment. */
async function killBusiestRenderer(servicePid: number): Promise<void> {
  const before = processesOf(servicePid, 'renderer').map(({ pid }) => ({ pid, ms: cpuMs(pid) }));
  await new Promise((resolve) => setTimeout(resolve, 400));
  const [busiest] = before
    .map(({ pid, ms }) => ({ pid, usedMs: cpuMs(pid) - ms }))
    .toSorted((a, b) => b.usedMs - a.usedMs);
  process.kill(busiest!.pid, 'SIGKILL');
}

async function killGpuProcess(servicePid: number): Promise<void> {
  const [gpu] = processesOf(servicePid, 'gpu-process');
  if (!gpu) throw new Error('this browser has no GPU process to kill');
  process.kill(gpu.pid, 'SIGKILL');
}
