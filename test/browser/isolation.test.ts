// Renders side by side: each gets its own page and sees nothing of another's cookies, storage or cache. Design section 5
// (always a fresh context per render).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRenderQueue } from '#renders/render-queue.ts';
import { startTestBrowser } from '#test/support/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { decode, isNear } from '#test/support/pixels.ts';

const renders = 100;
// As the service does: all are asked for at once, so many are drawn at once.
const queue = createRenderQueue({ concurrency: 4, maxWaitMs: 120_000 });
let server: PageServer;
let kit: TestBrowser;

/** Reads what is there, leaves its own mark everywhere, and shows red if it found another's. */
const page = `<!doctype html><body style="margin:0"><script>
  const id = location.search.slice(1);
  const own = 'rgb(' + (id * 7) % 256 + ',' + (id * 31) % 256 + ',' + (100 + id * 5) % 256 + ')';
  const found = [document.cookie, localStorage.mark, sessionStorage.mark, window.name].filter((v) => v);
  document.cookie = 'mark=' + id + '; max-age=9999';
  localStorage.mark = sessionStorage.mark = window.name = id;
  Promise.all([
    indexedDB.databases().then((list) => { if (list.length) found.push('database'); indexedDB.open('mark-' + id) }),
    caches.keys().then((list) => { if (list.length) found.push('cache'); return caches.open('mark-' + id) }),
    navigator.serviceWorker.getRegistrations().then((list) => { if (list.length) found.push('worker') }),
    fetch('/cached').then((r) => r.text()).then((first) => { if (first !== id) found.push('http cache ' + first) }),
  ]).then(() => { document.body.style.background = found.length ? 'red' : own; document.title = found.join(); fetch('/done?' + id) });
  // The load event waits until all has been looked at.
  document.write('<img src="/gate?' + id + '">');
</script>`;

before(async () => {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gateOf = (url = '') => {
    const id = url.split('?')[1] ?? '';
    const gate = gates.get(id) ?? Promise.withResolvers<void>();
    gates.set(id, gate);
    return gate;
  };
  server = await startPageServer({
    '/gate': (request, response) => void gateOf(request.url).promise.then(() => response.end()),
    '/done': (request, response) => {
      gateOf(request.url).resolve();
      response.end();
    },
    '/page': page,
    // The browser may keep it for a day; it names the render that asked first.
    '/cached': (request, response) => {
      const id = (request.headers.referer ?? '').split('?')[1] ?? 'nobody';
      response.writeHead(200, { 'cache-control': 'max-age=86400', 'set-cookie': `server=${id}` }).end(id);
    },
  });
  kit = await startTestBrowser([server.host]);
});
after(async () => {
  await kit.close();
  await server.close();
});

test(`${renders} renders in parallel: each its own colour, none another's mark`, async () => {
  const ids = Array.from({ length: renders }, (_, index) => index + 1);
  const shots = await Promise.all(
    ids.map(async (id) => {
      const leave = await queue.enter('everyone', new AbortController().signal);
      return kit.shoot(`${server.base}/page?${id}`, { width: 320, height: 320 + id }).finally(leave);
    }),
  );
  const wrong: string[] = [];
  for (const [index, shot] of shots.entries()) {
    const id = ids[index]!;
    const picture = await decode(shot.bytes);
    const colour = picture.at(160, 160);
    const own = [(id * 7) % 256, (id * 31) % 256, (100 + id * 5) % 256];
    if (!isNear(colour, own, 0) || picture.height !== 320 + id) wrong.push(`${id}: ${colour.join(',')}`);
  }
  assert.deepEqual(wrong, []);
  const cookies = server.seen.filter((line) => line.startsWith('GET /cached'));
  assert.equal(cookies.length, renders, 'no answer came from a shared cache');
});
