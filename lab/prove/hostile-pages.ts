// Proof: each hostile page gets a response of the contract in time, and renders of others at the same time neither fail nor take
// more than twice as long, or are rendered again if the page kept the browser too busy. A killed browser fails no render. Spec
// 4.3, 7 (capture_failed).
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { limits } from '#core/limits.ts';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import { type HostilePage, hostilePages } from '#lab/prove/hostile-page-table.ts';
import {
  endlessPlan,
  median,
  type RenderAnswer,
  type Renderer,
  seconds,
  startRenderer,
} from '#lab/prove/renderer.ts';
import { certificate, trustingChromium } from '#test/support/wrapped-chromium.ts';
import { type PageServer, slowRoute, startPageServer } from '#test/support/page-server.ts';
import { browsers } from '#test/support/process-table.ts';

const siblingPages = ['article', 'dashboard', 'canvas-svg', 'dark'];
const siblingCount = 8;
/** In the short form other tests run on the machine too, so only a standstill is a failure. */
const mostTimesSlower = { short: 8, long: 2 };
const mostTimesSlowerInFlood = 20;
const roundsBeside = { short: 1, long: 3 };
/** While a long one goes on. */
const mostRounds = { short: 1, long: 10 };
const accounts = { siblings: 0, attacker: 1 };

interface Stage {
  renderer: Renderer;
  site: PageServer;
  tunnelled: { base: string; host: string; asked: Promise<void>; close: () => void };
  close(): Promise<void>;
}

export const hostilePagesProof: Proof = {
  name: 'hostile-pages',
  title: 'Hostile pages, each beside eight renders of others',
  run: (size, say) => proveHostilePages(size, say),
};

export async function proveHostilePages(
  size: Size,
  say: (line: string) => void,
  pages = hostilePages.filter(({ isQuick }) => size === 'long' || isQuick),
): Promise<Finding[]> {
  const stage = await setUp(pages);
  const findings: Finding[] = [];
  try {
    await siblings(stage);
    let before = await baseline(stage, size);
    for (const page of pages) {
      const seen = await besideSiblings(stage, page, size);
      // The machine's own speed drifts: in the long form it is measured before and after each page.
      const after = size === 'long' ? await baseline(stage, size) : before;
      findings.push(findingOf(page, seen, [...before, ...after], size));
      say(`${page.title}: ${findings.at(-1)!.seen}`);
      before = after;
    }
    findings.push(...(await killBrowser(stage)));
    return findings;
  } finally {
    await stage.close();
  }
}

async function setUp(pages: HostilePage[]): Promise<Stage> {
  const noise = sharp({
    create: {
      width: 590,
      height: 590,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });
  const megabyte = await noise.png({ compressionLevel: 0 }).toBuffer();
  const pixel = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64');
  const site = await startPageServer({
    '/never': () => {},
    '/soon': (_, response) => slow(1_000, () => response.end(pixel)),
    '/poll': (_, response) => slow(50, () => response.end('nothing new')),
    '/megabyte': (_, response) => response.setHeader('content-type', 'image/png').end(megabyte),
    '/pixel': (_, response) => response.setHeader('content-type', 'image/gif').end(pixel),
    '/slow': slowRoute,
  });
  const tunnelled = await startTunnelled(String(pages.find(({ isTunnelled }) => isTunnelled)?.page), pixel);
  const chromium = await trustingChromium();
  const renderer = await startRenderer({
    allow: [site.host, tunnelled.host],
    plans: [endlessPlan, endlessPlan],
    environment: { CHROMIUM_PATH: chromium.path },
  });
  return {
    renderer,
    site,
    tunnelled,
    async close() {
      await renderer.stop();
      await Promise.all([site.close(), chromium.remove()]);
      tunnelled.close();
    },
  };
}

/** The one page that is served over HTTP/2, and its pictures. */
async function startTunnelled(page: string, picture: Buffer): Promise<Stage['tunnelled']> {
  const asked = Promise.withResolvers<void>();
  const server = createSecureServer(certificate, (request, response) => {
    asked.resolve();
    const isPage = request.url === '/';
    response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'image/gif' });
    response.end(isPage ? page : picture);
  });
  server.on('sessionError', () => {});
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  const host = `127.0.0.2:${(server.address() as AddressInfo).port}`;
  return { base: `https://${host}`, host, asked: asked.promise, close: () => server.close() };
}

/** Eight ordinary renders of another account, requested at once. */
function siblings({ renderer, site }: Stage): Promise<RenderAnswer[]> {
  return Promise.all(
    Array.from({ length: siblingCount }, (_, index) =>
      renderer.shoot(`${site.base}/${siblingPages[index % siblingPages.length]}.html`, {
        account: accounts.siblings,
      }),
    ),
  );
}

async function baseline(stage: Stage, size: Size): Promise<RenderAnswer[]> {
  const answers: RenderAnswer[] = [];
  for (let round = 0; round < roundsBeside[size]; round += 1) answers.push(...(await siblings(stage)));
  return answers;
}

/** The page is rendered repeatedly for as long as the siblings take. */
async function besideSiblings(stage: Stage, hostile: HostilePage, size: Size) {
  const { renderer, site, tunnelled } = stage;
  const asked = Promise.withResolvers<void>();
  const { page } = hostile;
  const path = `/hostile/${hostilePages.indexOf(hostile)}`;
  const url = hostile.isTunnelled
    ? `${tunnelled.base}/`
    : site.route(path, (request, response) => {
        asked.resolve();
        if (typeof page === 'function') page(request, response);
        else response.setHeader('content-type', 'text/html').end(page);
      });
  const attack = () => renderer.shoot(url, { account: accounts.attacker, body: hostile.body ?? {} });

  const first = attack();
  let isAnswered = false;
  let areSiblingsDone = false;
  const attacks = first.then(async () => {
    isAnswered = true;
    while (!areSiblingsDone && hostile.strike === undefined) await attack();
  });
  await Promise.race([hostile.isTunnelled ? tunnelled.asked : asked.promise, first]);
  await hostile.strike?.(renderer.pid);
  const beside: RenderAnswer[] = [];
  for (let round = 0; round < mostRounds[size]; round += 1) {
    if (round >= roundsBeside[size] && isAnswered) break;
    beside.push(...(await siblings(stage)));
  }
  areSiblingsDone = true;
  await attacks;
  return { answer: await first, beside };
}

function findingOf(
  hostile: HostilePage,
  { answer, beside }: { answer: RenderAnswer; beside: RenderAnswer[] },
  alone: RenderAnswer[],
  size: Size,
): Finding {
  const failed = [...beside, ...alone].filter(({ status }) => status !== 200).length;
  const [besideMs, aloneMs] = [beside, alone].map((answers) => median(answers.map(({ ms }) => ms)));
  const times = besideMs! / aloneMs!;
  const isRight =
    hostile.answers.includes(answer.status as 200 | 502) &&
    (answer.status === 200 || answer.code === 'capture_failed') &&
    answer.ms < limits.screenshotTotalMs + limits.settleMs;
  const words = answer.status === 200 ? 'a picture' : `502, "${answer.message.replace(/^url: /, '')}"`;
  return {
    what: hostile.title,
    seen:
      `${words}, after ${seconds(answer.ms)}; ${failed} of ${beside.length} siblings failed, ` +
      `${Math.round(besideMs!)} ms each beside it and ${Math.round(aloneMs!)} ms without (${times.toFixed(2)} x)`,
    holds:
      isRight && failed === 0 && times <= (hostile.isFlood ? mostTimesSlowerInFlood : mostTimesSlower[size]),
  };
}

/** Killed with -9 during as many renders as it holds, with as many more queued. */
async function killBrowser({ renderer, site }: Stage): Promise<Finding[]> {
  const asked = Promise.withResolvers<void>();
  let hits = 0;
  const url = site.route('/held', (_, response) => {
    hits += 1;
    if (hits === 2) asked.resolve();
    response.setHeader('content-type', 'text/html').end('<!doctype html><p>held<img src="/slow?700">');
  });
  const usedBefore = await unitsUsed(renderer);
  const renders = Array.from({ length: siblingCount }, () => renderer.shoot(url));
  await asked.promise;
  const [killed] = browsers(renderer.pid);
  process.kill(killed!.pid, 'SIGKILL');
  const answers = await Promise.all(renders);
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  const slowest = Math.max(...answers.map(({ ms }) => ms));
  const metered = (await unitsUsed(renderer)) - usedBefore;
  const next = await renderer.shoot(`${site.base}/article.html`);
  const isRetriedOnce = hits <= 2 * siblingCount;
  return [
    {
      what: 'the browser killed with -9 under eight renders',
      seen: `${count(200)} pictures, ${count(502)} answered 502, the last after ${seconds(slowest)}; ${metered} metered; the next render: ${next.status}`,
      holds:
        count(200) + count(502) === siblingCount &&
        metered === count(200) &&
        next.status === 200 &&
        isRetriedOnce,
    },
  ];
}

async function unitsUsed(renderer: Renderer): Promise<number> {
  const books = await renderer.books();
  if (books.some(({ used, ledger }) => used !== ledger)) throw new Error('the counter is not the ledger');
  return books.reduce((sum, { used }) => sum + used, 0);
}

function slow(ms: number, then: () => void): void {
  setTimeout(then, ms).unref();
}
