// Proof: renders of one site run in parallel, for several accounts that share few workers. Each leaves marks wherever a page can, none
// finds another's marks, and each picture is its own.
import type { Finding, Proof } from '#lab/prove/proof.ts';
import { endlessPlan, type RenderAnswer, type Renderer, startRenderer } from '#lab/prove/renderer.ts';
import { type PageServer, startPageServer } from '#test/support/page-server.ts';
import { workerOf } from '#test/support/process-table.ts';
import { decode, isNear } from '#test/support/pixels.ts';

const counts = { short: 24, long: 500 };
/** More than the workers, so that workers change hands. */
const accounts = 5;
const places = 3;
/** A render that got no slot in time is requested again, as the contract says. */
const mostTries = 40;

/** The colour of a render's picture; no two are the same. */
const colourOf = (id: number): number[] => [id % 256, 20 + 100 * (id >> 8), (id * 37) % 256];

export const isolationProof: Proof = {
  name: 'isolation',
  title: 'Isolation: renders in parallel never see each other',
  async run(size, say) {
    const served = new Map<number, Set<number>>();
    const site = await startSite((id, worker) =>
      served.set(worker, (served.get(worker) ?? new Set()).add(id % accounts)),
    );
    const renderer = await startRenderer({
      allow: [site.host],
      plans: Array.from({ length: accounts }, () => endlessPlan),
      environment: { RENDER_CONCURRENCY: String(places) },
    });
    try {
      const ids = Array.from({ length: counts[size] }, (_, index) => index + 1);
      let done = 0;
      const answers = await Promise.all(
        ids.map(async (id) => {
          const answer = await shootPatiently(renderer, `${site.base}/page?${id}`, id % accounts);
          done += 1;
          if (done % 100 === 0) say(`${done} of ${ids.length} renders`);
          return answer;
        }),
      );
      return [...(await findingsOf(ids, answers, site)), handedOver(served)];
    } finally {
      await renderer.stop();
      await site.close();
    }
  },
};

function handedOver(served: Map<number, Set<number>>): Finding {
  const several = [...served.values()].filter(({ size }) => size > 1).length;
  return {
    what: 'workers changed hands meanwhile',
    seen: `${several} of ${served.size} workers served more than one of ${accounts} accounts`,
    holds: several > 0,
  };
}

async function shootPatiently(renderer: Renderer, url: string, account: number): Promise<RenderAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await renderer.shoot(url, { account, body: { width: 320, height: 320 } });
    if (answer.code !== 'concurrency_limited' || tries === mostTries) return answer;
    await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after')) * 1_000));
  }
}

async function findingsOf(ids: number[], answers: RenderAnswer[], site: PageServer): Promise<Finding[]> {
  const foreign: string[] = [];
  for (const [index, id] of ids.entries()) {
    const { status, bytes, message } = answers[index]!;
    const colour = status === 200 ? (await decode(bytes)).at(160, 160) : [];
    if (status !== 200 || !isNear(colour, colourOf(id), 0))
      foreign.push(`${id}: ${message || colour.join()}`);
  }
  const reports = site.seen
    .filter((line) => line.startsWith('GET /done?'))
    .map((line) => line.split('?')[1]!);
  const found = reports.filter((report) => !/^\d+&$/.test(report));
  const worked = site.seen.filter((line) => line.startsWith('GET /worked?')).length;
  const uncached = site.seen.filter((line) => line.startsWith('GET /cached')).length;
  const some = (list: string[]) => (list.length === 0 ? '' : ` (${list.slice(0, 3).join('; ')})`);
  return [
    {
      what: 'each picture is its own',
      seen: `${ids.length - foreign.length} of ${ids.length} renders of one site, all asked for at once${some(foreign)}`,
      holds: foreign.length === 0,
    },
    {
      what: 'no page finds a cookie, storage, database, cache, service worker, window name or cached answer of another',
      seen: `${found.length} marks found by ${reports.length} pages${some(found)}; ${uncached} answers that may be kept for a day were asked for anew`,
      holds: found.length === 0 && reports.length === ids.length && uncached === ids.length,
    },
    {
      what: "every page's own service worker answered it",
      seen: `${worked} of ${ids.length}`,
      holds: worked === ids.length,
    },
  ];
}

/** Reads what is there, leaves its mark everywhere, reports what it found, and takes on its colour; red if it found anything. */
const page = `<!doctype html><body style="margin:0"><script>
  const id = Number(location.search.slice(1));
  const own = 'rgb(' + [id % 256, 20 + 100 * (id >> 8), (id * 37) % 256] + ')';
  const found = [document.cookie, localStorage.mark, sessionStorage.mark, window.name].filter((v) => v);
  document.cookie = 'mark=' + id + '; max-age=9999';
  localStorage.mark = sessionStorage.mark = window.name = id;
  const text = (url) => fetch(url).then((response) => response.text());
  const look = async () => {
    if ((await indexedDB.databases()).length) found.push('database');
    indexedDB.open('mark-' + id);
    if ((await caches.keys()).length) found.push('cache');
    await (await caches.open('mark-' + id)).put('/kept', new Response(String(id)));
    if ((await navigator.serviceWorker.getRegistrations()).length) found.push('worker');
    const cached = await text('/cached');
    if (cached !== String(id)) found.push('cached ' + cached);
    const whose = await text('/whose');
    if (whose !== 'nobody') found.push('worker of ' + whose);
    await navigator.serviceWorker.register('/sw.js?' + id);
    await new Promise((resolve) => { navigator.serviceWorker.controller ? resolve() : navigator.serviceWorker.oncontrollerchange = resolve });
    if ((await text('/whose')) === String(id)) await fetch('/worked?' + id);
    else found.push('no worker');
  };
  look().catch((error) => found.push(String(error))).then(() => {
    document.body.style.background = found.length ? 'red' : own;
    fetch('/done?' + id + '&' + encodeURIComponent(found));
  });
  // The load event waits until everything has been checked.
  document.write('<img src="/gate?' + id + '">');
</script>`;

const worker = `
  const id = location.search.slice(1);
  oninstall = () => skipWaiting();
  onactivate = (event) => event.waitUntil(clients.claim());
  onfetch = (event) => { if (event.request.url.endsWith('/whose')) event.respondWith(new Response(id)) }`;

async function startSite(onPage: (id: number, worker: number) => void): Promise<PageServer> {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gateOf = (url = '') => {
    const id = /\?(\d+)/.exec(url)?.[1] ?? '';
    const gate = gates.get(id) ?? Promise.withResolvers<void>();
    gates.set(id, gate);
    return gate;
  };
  return startPageServer({
    '/page': (request, response) => {
      // Unknown if the connection has gone meanwhile.
      const by = workerOf(request);
      if (by) onPage(Number(request.url!.split('?')[1]), by.pid);
      response.setHeader('content-type', 'text/html').end(page);
    },
    '/gate': (request, response) => void gateOf(request.url).promise.then(() => response.end()),
    '/done': (request, response) => {
      gateOf(request.url).resolve();
      response.end();
    },
    '/worked': (_, response) => response.end(),
    '/whose': (_, response) => response.setHeader('cache-control', 'no-store').end('nobody'),
    '/sw.js': (_, response) => response.setHeader('content-type', 'text/javascript').end(worker),
    // The browser may cache it for a day; it names the render that requested it first.
    '/cached': (request, response) => {
      const id = (request.headers.referer ?? '').split('?')[1] ?? 'nobody';
      response.writeHead(200, { 'cache-control': 'max-age=86400', 'set-cookie': `server=${id}` }).end(id);
    },
  });
}
