// Render workers, or their browsers, killed at any moment of a stream of renders: every render is answered, and no unit, slot, file or
// process is left over. Then the service itself is killed: nothing of it goes on.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Finding, Size } from '#lab/prove/proof.ts';
import { screenshot } from '#lab/prove/faults/requests.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { browsers, groupMembers, workers } from '#test/support/process-table.ts';
import { disagreement, endless, readBooks, startProduct, storedIn } from '#test/support/product.ts';
import { waitFor } from '#test/support/wait-for.ts';

const kills = { short: 4, long: 40 };
const lanes = 3;
/** Longer than a render takes, so that every moment of one is hit. */
const longestPauseMs = 700;

export async function killWorkers(size: Size): Promise<Finding[]> {
  const pages = await startPageServer({ '/': '<!doctype html><h1>page' });
  const product = await startProduct({ environment: { EGRESS_ALLOW: pages.host } });
  const { path } = product;
  const pid = product.serving.child.pid!;
  try {
    const keys: string[] = [];
    while (keys.length < lanes) keys.push(await product.newKey(endless));
    const statuses: number[] = [];
    let isOver = false;
    const streams = keys.map(async (key) => {
      while (!isOver) {
        const answer = await screenshot(product.serving.origin, key, `${pages.base}/`);
        statuses.push(answer === 'lost' ? 0 : answer.status);
      }
    });
    const killed = await killAtRandom(pid, kills[size]);
    isOver = true;
    await Promise.all(streams);
    const books = readBooks(path);
    const made = statuses.filter((status) => status === 200).length;
    const odd = statuses.filter((status) => ![200, 502].includes(status));
    const wrong =
      disagreement(books) ?? (books.renders.length === made ? '' : `${books.renders.length} rows`);
    const { store, spool } = await storedIn(path, 'renders');
    const results = join(path, 'blobs', 'renders', 'results');
    const isTidy = async () => (await readdir(results)).length === workers(pid).length;
    await waitFor('the folders of killed workers to go', isTidy);
    // All of them may have been killed, the last one while it started; then the next render starts one.
    await screenshot(product.serving.origin, keys[0]!, `${pages.base}/`);
    const groups = workers(pid).map((worker) => worker.pid);
    await product.serving.end('SIGKILL');
    await waitFor('every worker to end with its service', () =>
      groups.every((group) => groupMembers(group).length === 0),
    );
    return [
      {
        what: 'workers and browsers killed with -9 at any moment: each render is answered, and a unit, a row and a file exist for each that succeeded',
        seen:
          `${killed} killed; ${made} of ${statuses.length} renders made, ${odd.length} with an odd answer; ` +
          `${books.leases} slots and ${spool.length} spools left; ${wrong === '' ? 'the books agree' : wrong}; ${store.length} files`,
        holds:
          odd.length === 0 &&
          books.leases === 0 &&
          spool.length === 0 &&
          wrong === '' &&
          store.length === made &&
          made > 0,
      },
      {
        what: 'a service killed with -9 leaves no worker and no browser',
        seen: `${groups.length} workers ended with it`,
        holds: groups.length > 0,
      },
    ];
  } finally {
    await product.stop();
    await pages.close();
  }
}

async function killAtRandom(servicePid: number, count: number): Promise<number> {
  let killed = 0;
  while (killed < count) {
    await delay(Math.random() * longestPauseMs);
    const candidates = [...workers(servicePid), ...browsers(servicePid)];
    const victim = candidates[Math.floor(Math.random() * candidates.length)];
    if (!victim) continue;
    process.kill(victim.pid, 'SIGKILL');
    killed += 1;
  }
  return killed;
}
