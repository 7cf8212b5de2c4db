// kill -9: at every named point between a request's bytes and its response, and at any moment of a stream of uploads, with a
// start among the files that the killed processes left behind.
import { randomBytes } from 'node:crypto';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '#core/ids.ts';
import { crashPoints, type CrashPoint } from '#core/crash-points.ts';
import type { Finding, Size } from '#lab/prove/proof.ts';
import { countLost, readBack, twoOutputs, upload } from '#lab/prove/faults/requests.ts';
import { serveCommand } from '#lab/prove/serve.ts';
import * as images from '#test/support/images.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import {
  disagreement,
  endless,
  readBooks,
  startProduct,
  storedIn,
  type Product,
} from '#test/support/product.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Each start of the service takes seconds; the short form uses the points that differ most. */
const shortPoints: CrashPoint[] = ['file renamed', 'row written', 'upload committed', 'render written'];

/** One request dies at each point; the same request is then sent again with its Idempotency-Key. */
export async function crashAtEveryPoint(size: Size): Promise<Finding[]> {
  const folder = await temporaryFolder();
  const pages = await startPageServer({ '/': '<h1>page</h1>' });
  const crashFile = join(folder.path, 'crash-at');
  const product = await startProduct({
    path: folder.path,
    command: serveCommand({ crashFile }),
    environment: { EGRESS_ALLOW: pages.host },
  });
  const wrong: string[] = [];
  const points: CrashPoint[] = [];
  let replayed = 0;
  try {
    const key = await product.newKey(endless);
    for (const kind of ['upload', 'render'] as const) {
      for (const point of crashPoints[kind]) {
        if (size === 'short' && !shortPoints.includes(point)) continue;
        if (size === 'short' && kind === 'render' && !point.startsWith('render')) continue;
        points.push(point);
        const problem = await crashOnce(kind, point, key);
        if (problem !== undefined) wrong.push(`${kind}, ${point}: ${problem}`);
      }
    }
    await product.serving.end('SIGKILL');
    const { finding: leftovers } = await startAmongLeftovers(product);
    return [
      {
        what: 'kill -9 at each point between the bytes and the answer: the repeat is answered, and each file is charged once for both',
        seen:
          wrong.join('; ') ||
          `${points.length} points, ${replayed} repeats replayed the answer of the dead process`,
        holds:
          wrong.length === 0 && replayed === points.filter((point) => point.endsWith('committed')).length,
      },
      leftovers,
    ];
  } finally {
    await product.stop();
    await pages.close();
    await folder.remove();
  }

  async function crashOnce(
    kind: 'upload' | 'render',
    point: CrashPoint,
    key: string,
  ): Promise<string | undefined> {
    const headers = { 'idempotency-key': `${kind} ${point}`.replaceAll(' ', '-') };
    const bytes = Buffer.concat([await images.png(), randomBytes(400_000)]);
    const send = () =>
      kind === 'upload'
        ? upload(product.serving.origin, key, bytes, headers)
        : twoOutputs(product.serving.origin, key, `${pages.base}/`, headers);
    const before = readBooks(product.path).ledger.length;
    await writeFile(crashFile, point);
    if ((await send()) !== 'lost') return 'the process went on';
    await rm(crashFile);
    await product.restart();
    const isCommitted = readBooks(product.path).ledger.length > before;
    if (isCommitted !== point.endsWith('committed')) return isCommitted ? 'charged too early' : 'lost a unit';
    const answer = await send();
    if (answer === 'lost' || answer.status >= 300)
      return `the repeat: ${answer === 'lost' ? 'lost' : answer.status}`;
    if (answer.headers.get('idempotent-replayed') === 'true') replayed += 1;
    const stored =
      'slug' in answer.body && typeof answer.body.slug === 'string'
        ? await readBack(product.serving.origin, answer.body.slug)
        : await statusOfBoth(answer.body.id);
    if (stored !== 200 && !(stored instanceof Buffer && stored.equals(bytes)))
      return 'not there after the repeat';
    const books = readBooks(product.path);
    const units = kind === 'upload' ? 1 : 2;
    if (books.ledger.length !== before + units) return `${books.ledger.length - before} units charged`;
    if (books.leases !== 0) return `${books.leases} slots still taken`;
    return disagreement(books);
  }

  /** 200 if the picture and the PDF are there. */
  async function statusOfBoth(id: string): Promise<number> {
    const { origin } = product.serving;
    const answers = await Promise.all([fetch(`${origin}/s/${id}`), fetch(`${origin}/p/${id}-1`)]);
    return Math.max(...answers.map(({ status }) => status));
  }
}

/** Many clients upload while the process is killed repeatedly; then the service starts among many half-written files. */
export async function crashInTraffic(size: Size): Promise<Finding[]> {
  const [rounds, clients, uploadsEach, halves] = size === 'short' ? [1, 8, 60, 1_000] : [20, 16, 150, 10_000];
  const product = await startProduct();
  try {
    const key = await product.newKey(endless);
    const picture = await images.png();
    const acknowledged = new Map<string, Buffer>();
    const oddAnswers: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      if (round > 0) await product.restart();
      const { child, origin } = product.serving;
      const killAt = acknowledged.size + uploadsEach;
      let started = 0;
      const client = async (): Promise<void> => {
        while (child.signalCode === null && started < uploadsEach * 10) {
          started += 1;
          // Small ones stay in memory until they are committed; large ones are on disk while they arrive.
          const bytes = Buffer.concat([picture, randomBytes(started % 3 === 0 ? 700_000 : 500)]);
          const answer = await upload(origin, key, bytes);
          if (answer === 'lost') return;
          if (answer.status !== 201) oddAnswers.push(answer.status);
          else acknowledged.set(answer.body.slug, bytes);
          if (acknowledged.size >= killAt) child.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
      await product.serving.ended;
    }
    await leaveHalves(product, halves);
    const { readyMs, finding: leftovers } = await startAmongLeftovers(product);
    const books = readBooks(product.path);
    const lost = await countLost(product.serving.origin, acknowledged);
    const unanswered = books.uploads.length - acknowledged.size;
    const wrong = disagreement(books);
    return [
      {
        what: `kill -9 in the middle of ${clients} clients' uploads, ${rounds} times, and a start among ${halves} half-written files: nothing acknowledged is lost`,
        seen:
          `${acknowledged.size} acknowledged, ${lost} lost, ${unanswered} stored without an answer; ` +
          `ready in ${(readyMs / 1_000).toFixed(1)} s`,
        holds: lost === 0 && oddAnswers.length === 0 && unanswered >= 0 && unanswered <= rounds * clients,
      },
      {
        what: 'and rows, ledger and counters agree',
        seen: wrong ?? `${books.uploads.length} rows, ${books.ledger.length} units, counter ${books.counter}`,
        holds: wrong === undefined,
      },
      leftovers,
    ];
  } finally {
    await product.stop();
  }
}

/** Half of them in the middle of a spool, half between the rename and the row. */
async function leaveHalves({ path, serving }: Product, count: number): Promise<void> {
  const folder = join(path, 'blobs', 'uploads');
  for (let made = 0; made < count; made += 2) {
    const id = newId();
    await writeFile(join(folder, 'spool', `${serving.child.pid}-${id}`), 'half a file');
    await mkdir(join(folder, 'store', id.slice(0, 2)), { recursive: true });
    await writeFile(join(folder, 'store', id.slice(0, 2), id), 'a file without a row');
  }
}

/** Leftovers are removed after an hour: the files are made older, and the service is started again. */
async function startAmongLeftovers(product: Product): Promise<{ readyMs: number; finding: Finding }> {
  const { path } = product;
  const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  const kinds = ['uploads', 'renders'] as const;
  const stored = () => Promise.all(kinds.map((kind) => storedIn(path, kind)));
  const before = (await stored()).flatMap(({ store, spool }) => [...store, ...spool]);
  for (const file of before) await utimes(file.path, twoHoursAgo, twoHoursAgo);
  const startedAt = performance.now();
  await product.restart();
  const readyMs = performance.now() - startedAt;
  const { files } = readBooks(path);
  const holds = await waitFor(
    'the sweep',
    async () => {
      const after = await stored();
      const names = after.flatMap(({ store }) => store.map(({ name }) => name));
      return names.toSorted().join() === files.join() && after.every(({ spool }) => spool.length === 0);
    },
    60_000,
  ).then(
    () => true,
    () => false,
  );
  const what = 'Files without a row are swept, and every row has its file';
  return {
    readyMs,
    finding: { what, seen: `${before.length - files.length} swept, ${files.length} left`, holds },
  };
}
