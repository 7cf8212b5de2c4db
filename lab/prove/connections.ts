// Thousands of connections that do nothing or almost nothing, and bodies that never end, during ordinary traffic.
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import { endlessCases, sendEndlessly } from '#lab/prove/connections/endless.ts';
import { describeEnds, hold, holdMany, type Holder } from '#lab/prove/connections/holders.ts';
import { runTraffic, uploadHead, type Traffic } from '#lab/prove/connections/traffic.ts';
import { serveCommand } from '#lab/prove/serve.ts';
import * as images from '#test/support/images.ts';
import { openDescriptors, rssBytes } from '#test/support/process-table.ts';
import {
  disagreement,
  endless,
  readBooks,
  startProduct,
  storedIn,
  type Product,
} from '#test/support/product.ts';
import { uploadOne } from '#test/support/uploading.ts';
import { waitFor } from '#test/support/wait-for.ts';

interface Scale {
  idle: number;
  slow: number;
  stalled: number;
  endlessEach: number;
  aloneMs: number;
}

const scales: Record<Size, Scale> = {
  short: { idle: 500, slow: 50, stalled: 10, endlessEach: 1, aloneMs: 1_500 },
  long: { idle: 5_000, slow: 500, stalled: 100, endlessEach: 8, aloneMs: 20_000 },
};
/** The long form uses the product's timeouts, the short form shorter ones. */
const shortTimeouts = {
  headersMs: 2_000,
  requestMs: 4_000,
  keepAliveMs: 2_000,
  stallMs: 2_000,
  checkEveryMs: 200,
  drainMs: 500,
};

export const connections: Proof = {
  name: 'connections',
  title: 'Slow, silent and endless connections',
  async run(size, say) {
    const scale = scales[size];
    const product = await startProduct(
      size === 'short' ? { command: serveCommand({ timeouts: shortTimeouts }) } : {},
    );
    try {
      const key = await product.newKey(endless);
      const picture = await images.png(64, 64);
      const { slug } = await uploadOne(product.serving.origin, key, { bytes: picture });
      const ordinary = { key, picture, slug };
      const beside = await holdBeside(product, scale, ordinary, say);
      return [...beside, ...(await pourBeside(product, scale, key, slug))];
    } finally {
      await product.stop();
    }
  },
};

async function holdBeside(
  { serving, port }: Product,
  { idle, slow, stalled, aloneMs }: Scale,
  ordinary: { key: string; picture: Buffer; slug: string },
  say: (line: string) => void,
): Promise<Finding[]> {
  const pid = serving.child.pid ?? 0;
  await runTraffic(port, { ...ordinary, isOver: after(aloneMs / 4) });
  const alone = await runTraffic(port, { ...ordinary, isOver: after(aloneMs) });
  const [descriptors, memory] = [await settled(pid), rssBytes(pid)];

  const silent = await holdMany(idle, () => hold(port, ''));
  const dripping = await holdMany(slow, () => hold(port, 'GET / HTTP/1.1\r\nHost: x\r\n', 'X-Slow: yes\r\n'));
  const head = uploadHead(ordinary.key, 'Content-Length: 1000').toString('latin1');
  const stopped = await holdMany(stalled, () => hold(port, `${head}--XX\r\n`));
  const all = [...silent, ...dripping, ...stopped];
  const held = openDescriptors(pid);
  say(`${all.length} connections are held, ${held} descriptors`);
  let isEnded = false;
  const ends = Promise.all(all.map(({ ended }) => ended)).then(() => (isEnded = true));
  const heldMemory: number[] = [];
  const beside = await runTraffic(port, {
    ...ordinary,
    isOver: () => {
      heldMemory.push(rssBytes(pid));
      return isEnded;
    },
  });
  await ends;
  const after_ = await settled(pid, descriptors);
  return [
    {
      what: `Ordinary traffic beside ${idle} silent, ${slow} dripping and ${stalled} stopped connections all succeeds`,
      seen: `${summaryOf(beside)}; alone ${summaryOf(alone)}`,
      holds: beside.failures.length === 0 && alone.failures.length === 0 && beside.requests > 0,
    },
    await endedAs('Connections that say nothing are ended', silent, [
      '408 Request Timeout, validation_error',
      'closed',
    ]),
    await endedAs('Connections that drip headers are ended', dripping, [
      '408 Request Timeout, validation_error',
      'closed',
    ]),
    await endedAs('Uploads that stop in the middle are answered', stopped, [
      '422 Unprocessable Entity, validation_error',
    ]),
    {
      what: 'Descriptors are back where they were',
      seen: `${descriptors} before, ${held} with all of them, ${after_} after`,
      holds: after_ <= descriptors,
    },
    {
      what: 'Memory is bounded',
      seen: `${inMiB(memory)} before, at most ${inMiB(Math.max(...heldMemory))} with all of them`,
      holds: Math.max(...heldMemory) < memory + 300 * 2 ** 20,
    },
  ];
}

async function pourBeside(
  product: Product,
  { endlessEach }: Scale,
  key: string,
  slug: string,
): Promise<Finding[]> {
  const { serving, port, path } = product;
  const pid = serving.child.pid ?? 0;
  const memory = rssBytes(pid);
  const before = readBooks(path).ledger.length;
  let peak = memory;
  const timer = setInterval(() => (peak = Math.max(peak, rssBytes(pid))), 50);
  const findings: Finding[] = [];
  for (const given of endlessCases(key, slug)) {
    const outcomes = await Promise.all(Array.from({ length: endlessEach }, () => sendEndlessly(port, given)));
    const answers = [...new Set(outcomes.map(({ answer }) => answer))];
    const longest = Math.max(...outcomes.map(({ goesOnMs }) => goesOnMs));
    const most = Math.max(...outcomes.map(({ sentBytes }) => sentBytes));
    findings.push({
      what: `${given.name[0]?.toUpperCase()}${given.name.slice(1)}: ${given.expected}, and the connection is cut`,
      seen: `${outcomes.length} × ${answers.join(' or ')}; cut ${(longest / 1_000).toFixed(1)} s later, ${inMiB(most)} sent`,
      holds: answers.join() === given.expected && longest < 15_000,
    });
  }
  clearInterval(timer);
  await waitFor('spools to be dropped', async () => (await storedIn(path)).spool.length === 0);
  const books = readBooks(path);
  const wrong = disagreement(books);
  return [
    ...findings,
    {
      what: 'None of these is stored, charged or left over, and memory is bounded',
      seen: `${books.ledger.length - before} units, ${wrong ?? 'the books agree'}, ${inMiB(memory)} before, at most ${inMiB(peak)}`,
      holds: books.ledger.length === before && wrong === undefined && peak < memory + 300 * 2 ** 20,
    },
  ];
}

async function endedAs(what: string, holders: Holder[], allowed: string[]): Promise<Finding> {
  const { seen, answers } = await describeEnds(holders);
  return { what, seen, holds: [...answers].every((answer) => allowed.includes(answer)) };
}

const summaryOf = ({ requests, failures, p50Ms, p99Ms }: Traffic): string =>
  `${requests} requests, ${failures.length} failed${failures.length > 0 ? ` (${failures[0]})` : ''}, ` +
  `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;

const inMiB = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

function after(ms: number): () => boolean {
  const endsAt = performance.now() + ms;
  return () => performance.now() > endsAt;
}

/** How many descriptors are open after all our clients have disconnected. */
async function settled(pid: number, expected = 0): Promise<number> {
  let [last, same] = [openDescriptors(pid), 0];
  await waitFor('descriptors to settle', () => {
    const now = openDescriptors(pid);
    same = now === last ? same + 1 : 0;
    last = now;
    return same > 15 && (expected === 0 || now <= expected);
  }).catch(() => {});
  return last;
}
