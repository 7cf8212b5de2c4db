// Real workers: what one of them holds, what ends it, and that no other account notices.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { limits } from '#core/limits.ts';
import { startTestBrowser, type OwnTestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { groupMembers, workerOf, workers } from '#test/support/process-table.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MiB = 1024 * 1024;
const green = '<!doctype html><body style="margin:0;background:#00a000">';
const size = { width: 320, height: 320 };
/** As long as the whole render: a page reaches its limit late on a busy machine. */
const patient = { ...size, navigationMs: limits.screenshotTotalMs };
const skip = process.platform === 'linux' ? false : 'memory is judged through /proc, which only Linux has';
let sites: PageServer[];
let kit: OwnTestBrowser;

before(async () => {
  // Each address is its own site, so every frame gets a process.
  sites = await Promise.all(
    [1, 2, 3, 4, 5].map((last) =>
      startPageServer({ '/never': () => {}, '/plain': `${green}<p>fine` }, { address: `127.0.0.${last}` }),
    ),
  );
  // Small, so that a page reaches it within its budget on a busy machine too.
  kit = await startTestBrowser(
    sites.map(({ host }) => host),
    { concurrency: 4, memory: { workerBytes: 500 * MiB, renderBytes: 300 * MiB, leftBytes: () => Infinity } },
  );
});
after(async () => {
  await kit.close();
  await Promise.all(sites.map((site) => site.close()));
});

/** Renders plain pages of another account for as long as the page is rendered; returns what became of that. */
async function besideAnother(page: string, { shoot } = kit): Promise<unknown> {
  const [first] = sites;
  let isDone = false;
  const render = shoot(first!.route('/page', page), { ...patient, account: 'hostile' })
    .catch((error: unknown) => error)
    .finally(() => (isDone = true));
  do await shoot(`${first!.base}/plain`, { ...size, account: 'other' });
  while (!isDone);
  return render;
}

const reasonOf = (outcome: unknown): string =>
  outcome instanceof Error ? `${(outcome as RenderFailure).reason}: ${outcome.message}` : 'a picture';
const tooLarge = 'too_large: the page exceeded the memory limit of a render';
const hold = `${green}<script>onload = () => { hold = new Uint8Array(${200 * MiB}).fill(1) }</script>`;

const memoryHogs: Record<string, string> = {
  'a script': `${green}<img src="/never"><script>const hold = [];
    setInterval(() => { if (hold.length < 60) hold.push(new Uint8Array(${32 * MiB}).fill(1)) }, 5)</script>`,
  'blobs, which the browser process keeps': `${green}<img src="/never"><script>const hold = [];
    setInterval(() => { if (hold.length < 100) hold.push(new Blob([new Uint8Array(${32 * MiB}).fill(hold.length)])) }, 5)</script>`,
  'textures, which the process that draws keeps': `${green}<img src="/never"><script>
    const g = document.createElement('canvas').getContext('webgl'), hold = [];
    setInterval(() => { if (hold.length === 60) return; const buffer = g.createBuffer(); hold.push(buffer);
    g.bindBuffer(g.ARRAY_BUFFER, buffer); g.bufferData(g.ARRAY_BUFFER, ${64 * MiB}, g.STATIC_DRAW); g.finish() }, 5)</script>`,
};
for (const [what, page] of Object.entries(memoryHogs))
  test(`memory that a page takes is judged, wherever it is: ${what}`, { skip }, async () => {
    assert.equal(reasonOf(await besideAnother(page)), tooLarge);
  });

test('memory that a page takes is judged, wherever it is: frames of other sites', { skip }, async () => {
  for (const site of sites) site.route('/frame', hold);
  const frames = sites.slice(1).map(({ base }) => `<iframe src="${base}/frame"></iframe>`);
  assert.equal(reasonOf(await besideAnother(`${green}${frames.join('')}<img src="/never">`)), tooLarge);
});

test(
  'a worker within its limit ends if it needs more than twice what the machine has left',
  { skip },
  async () => {
    const other = await startTestBrowser(
      sites.map(({ host }) => host),
      { memory: { leftBytes: () => 64 * MiB } },
    );
    try {
      const [first] = sites;
      const url = first!.route('/page', memoryHogs['a script']!);
      await assert.rejects(
        other.shoot(url, patient),
        /^RenderFailure: the page needed more memory than there is left$/,
      );
    } finally {
      await other.close();
    }
  },
);

test(
  'renders that share a worker with one that is too large are made again, each in a worker of its own',
  { skip },
  async () => {
    const [first] = sites;
    const asked: { by: number; response: ServerResponse }[] = [];
    const innocent = first!.route('/innocent', (request, response) => {
      asked.push({ by: workerOf(request)!.pid, response });
    });
    const renders = [1, 2].map(() => kit.shoot(innocent, { ...size, account: 'both' }));
    await waitFor('the innocent pages', () => asked.length === 2);
    // Expected from the start: the large one may fail again before the others have asked again.
    const large = assert.rejects(
      kit.shoot(first!.route('/page', memoryHogs['a script']!), { ...patient, account: 'both' }),
      /exceeded the memory limit/,
    );
    await waitFor('the second attempts', () => asked.length === 4);
    const again = asked.slice(2);
    assert.equal(new Set(asked.map(({ by }) => by)).size, 3);
    for (const { response } of again) response.setHeader('content-type', 'text/html').end(green);
    await Promise.all([...renders, large]);
    const retried = 'a render is tried once more';
    assert.equal(kit.logged.filter(({ message }) => message === retried).length, 3);
    await waitFor('the workers of single renders to end', () => {
      const running = new Set(workers().map(({ pid }) => pid));
      return again.every(({ by }) => !running.has(by));
    });
  },
);

test('a worker that does not answer is ended, and its render is made in another', async () => {
  const [first] = sites;
  const askedBy: number[] = [];
  const url = first!.route('/stopped', (request, response) => {
    askedBy.push(workerOf(request)!.pid);
    if (askedBy.length === 2) response.setHeader('content-type', 'text/html').end(green);
  });
  const render = kit.shoot(url, { ...size, account: 'stopped' });
  await waitFor('the page to load', () => askedBy.length === 1);
  const [stopped] = askedBy;
  process.kill(stopped!, 'SIGSTOP');
  await render;
  assert.notEqual(askedBy[1], stopped);
  await waitFor('the worker to end', () => !workers().some(({ pid }) => pid === stopped));
});

/** Pages of a browser share these; stopped, they stand for ones that are busy with what a page left. */
const shared = {
  'the network process': 'network.mojom.NetworkService',
  'the process that draws': 'gpu-process',
};
for (const [what, name] of Object.entries(shared))
  test(`a worker goes to no other account while its browser is busy: ${what}`, { skip }, async () => {
    const [first] = sites;
    const stop = new AbortController();
    const askedBy: number[] = [];
    const left = first!.route('/left', (request) => void askedBy.push(workerOf(request)!.pid));
    const next = first!.route('/next', (request, response) => {
      askedBy.push(workerOf(request)!.pid);
      response.setHeader('content-type', 'text/html').end(green);
    });
    const other = await startTestBrowser([first!.host], { concurrency: 1 });
    try {
      const render = other.shoot(left, { ...size, account: 'leaving' }, stop.signal);
      await waitFor('the page to load', () => askedBy.length === 1);
      const busy = groupMembers(askedBy[0]!).find(({ command }) => command.includes(name));
      process.kill(busy!.pid, 'SIGSTOP');
      stop.abort(new Error('cancelled'));
      await assert.rejects(render);
      await other.shoot(next, { ...size, account: 'next' });
      assert.equal(askedBy.length, 2);
      assert.notEqual(askedBy[0], askedBy[1]);
      await waitFor('the worker to end', () => !workers().some(({ pid }) => pid === askedBy[0]));
    } finally {
      await other.close();
    }
  });

test('no two accounts are ever in one worker at the same time: many accounts, few workers', async () => {
  const [first] = sites;
  const other = await startTestBrowser([first!.host], { concurrency: 3 });
  /** The accounts with a request under way, by worker. */
  const inside = new Map<number, Set<string>>();
  const mixed: string[] = [];
  try {
    const url = first!.route('/held', (request, response) => {
      const account = request.url!.split('?')[1]!;
      const pid = workerOf(request)!.pid;
      const accounts = inside.get(pid) ?? new Set<string>();
      inside.set(pid, accounts.add(account));
      if (accounts.size > 1) mixed.push([...accounts].join(' and '));
      setTimeout(() => {
        accounts.delete(account);
        response.setHeader('content-type', 'text/html').end(green);
      }, 50);
    });
    await Promise.all(
      Array.from({ length: 3 }, async (_, lane) => {
        for (let round = 0; round < 6; round += 1) {
          const account = `account-${(lane + round * 2) % 7}`;
          await other.shoot(`${url}?${account}`, { ...size, account });
        }
      }),
    );
    assert.deepEqual(mixed, []);
    assert.ok(inside.size > 1, `${inside.size} workers`);
  } finally {
    await other.close();
  }
});
