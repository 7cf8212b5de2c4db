// Hundreds of thousands of uploads to one process, valid and invalid, small and large, some deleted and some interrupted:
// afterwards only what was stored is left, and memory is what it was after the first tenth.
import { createHash, randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import { uploadRequest } from '#lab/prove/connections/traffic.ts';
import { openWire, type Wire } from '#lab/prove/fuzz/wire.ts';
import { newApiKey } from '#core/ids.ts';
import type { UploadResult } from '#http/api/v1/schemas.ts';
import * as images from '#test/support/images.ts';
import { openDescriptors, rssBytes } from '#test/support/process-table.ts';
import { endless, readBooks, startProduct, storedIn, type Product } from '#test/support/product.ts';
import { waitFor } from '#test/support/wait-for.ts';

const counts: Record<Size, number> = { short: 1_000, long: 100_000 };
const clients = 12;
const parts = 10;

interface Run {
  answers: Map<string, number>;
  deleted: number;
  /** The hash of every hundredth file that stays, by slug. */
  sample: Map<string, string>;
  /** Memory of the service, in tenths of the run. */
  memory: number[][];
}

export const uploadLeaks: Proof = {
  name: 'upload-leaks',
  title: 'What many uploads leave behind',
  async run(size, say) {
    const count = Number(process.env['PROVE_UPLOADS'] ?? counts[size]);
    const product = await startProduct();
    try {
      const key = await product.newKey(endless);
      const pid = product.serving.child.pid ?? 0;
      // What is opened once, at the first upload, is not a leak.
      await runUploads(product, key, 50, () => {});
      const descriptors = await descriptorsAtRest(pid);
      const rowsBefore = readBooks(product.path).uploads.length;
      const startedAt = performance.now();
      const run = await runUploads(product, key, count, say);
      const seconds = (performance.now() - startedAt) / 1_000;
      return [
        answered(run, count, seconds),
        ...(await leftBehind(product, run, rowsBefore)),
        await descriptorsFinding(pid, descriptors),
        memoryFinding(run, size),
      ];
    } finally {
      await product.stop();
    }
  },
};

async function runUploads(
  { port, serving }: Product,
  key: string,
  count: number,
  say: (line: string) => void,
): Promise<Run> {
  const picture = await images.png(40, 30);
  const large = Buffer.concat([picture, randomBytes(600_000)]);
  const run: Run = { answers: new Map(), deleted: 0, sample: new Map(), memory: [] };
  const pid = serving.child.pid ?? 0;
  let next = 0;
  let toldAt = performance.now();

  async function client(): Promise<void> {
    const wire = openWire(port);
    while (next < count) {
      const number = next;
      next += 1;
      if (number % 20 === 0) (run.memory[Math.floor((number / count) * parts)] ??= []).push(rssBytes(pid));
      await one(wire, number);
      if (performance.now() - toldAt < 30_000) continue;
      toldAt = performance.now();
      say(`${number} of ${count} uploads, ${Math.round(rssBytes(pid) / 2 ** 20)} MiB`);
    }
    wire.close();
  }

  async function one(wire: Wire, number: number): Promise<void> {
    const file = fileOf(number);
    const isBrokenOff = number % 97 === 0;
    const sentKey = number % 89 === 0 ? newApiKey() : key;
    const request = uploadRequest(sentKey, file);
    const answer = await wire.exchange({
      method: 'POST',
      pieces: [isBrokenOff ? request.subarray(0, request.length - 30) : request],
      isCut: isBrokenOff,
    });
    const name = String(answer?.status ?? 'closed');
    run.answers.set(name, (run.answers.get(name) ?? 0) + 1);
    if (answer?.status !== 201) return;
    const { slug, delete_url: deleteUrl } = JSON.parse(answer.body.toString()) as UploadResult;
    if (number % 10 === 3) await remove(wire, deleteUrl.slice('http://tintype.test'.length));
    else if (number % 100 === 50) run.sample.set(slug, sha256(file));
  }

  /** One in a hundred is too large for memory, one in forty is an SVG, one in fifty is not a picture. */
  function fileOf(number: number): Buffer {
    if (number % 40 === 7) return images.svg(`<circle r="${number}"/>`);
    if (number % 50 === 9) return Buffer.from('no picture');
    return Buffer.concat([number % 100 === 50 ? large : picture, Buffer.from(`${number}`)]);
  }

  async function remove(wire: Wire, path: string): Promise<void> {
    const pieces = [Buffer.from(`DELETE ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)];
    const answer = await wire.exchange({ method: 'DELETE', pieces });
    if (answer?.status === 200) run.deleted += 1;
  }

  await Promise.all(Array.from({ length: clients }, client));
  return run;
}

function answered({ answers, deleted }: Run, count: number, seconds: number): Finding {
  const total = [...answers.values()].reduce((sum, each) => sum + each, 0);
  // Only wrong keys may get a 429: after 3,000 refusals a minute an address has to wait. The account has no limits.
  const expected = ['201', '401', '415', '422', '429', 'closed'];
  const known = [...answers.keys()].every((name) => expected.includes(name));
  const list = [...answers].map(([name, each]) => `${each} × ${name}`).toSorted();
  return {
    what: `${count.toLocaleString('en')} uploads in one run, each answered from the contract`,
    seen: `${list.join(', ')}, ${deleted} deleted again; ${Math.round(total / seconds)} a second`,
    holds: total === count && known,
  };
}

async function leftBehind({ port, path }: Product, run: Run, rowsBefore: number): Promise<Finding[]> {
  await waitFor('spools to be dropped', async () => (await storedIn(path)).spool.length === 0).catch(
    () => {},
  );
  const { store, spool } = await storedIn(path);
  const books = readBooks(path);
  const stays = rowsBefore + (run.answers.get('201') ?? 0) - run.deleted;
  const wire = openWire(port);
  let damaged = 0;
  for (const [slug, hash] of run.sample) {
    const pieces = [Buffer.from(`GET /f/${slug} HTTP/1.1\r\nHost: x\r\n\r\n`)];
    const answer = await wire.exchange({ method: 'GET', pieces });
    if (answer?.status !== 200 || sha256(answer.body) !== hash) damaged += 1;
  }
  wire.close();
  const known = new Set(books.uploads);
  const orphans = store.filter(({ name }) => !known.has(name)).length;
  return [
    {
      what: 'No temporary file and no file without a row is left, and every row has its file',
      seen: `${spool.length} spools, ${orphans} orphans, ${store.length} files for ${books.uploads.length} rows`,
      holds:
        spool.length === 0 &&
        orphans === 0 &&
        store.length === books.uploads.length &&
        books.uploads.length === stays,
    },
    unitsFinding(books.ledger.length, books.counter, books.uploads, new Set(books.ledger)),
    {
      what: 'A sample is read back byte for byte',
      seen: `${run.sample.size} files, ${damaged} damaged`,
      holds: run.sample.size > 0 && damaged === 0,
    },
  ];
}

async function descriptorsFinding(pid: number, before: number): Promise<Finding> {
  const after = await descriptorsAtRest(pid, before);
  return {
    what: 'No descriptor is left open',
    seen: `${before} before, ${after} after`,
    holds: after <= before,
  };
}

/** Deleting returns no unit, so the ledger has more entries than there are rows. */
function unitsFinding(ledger: number, counter: number, rows: string[], paid: Set<string>): Finding {
  const unpaid = rows.filter((id) => !paid.has(id)).length;
  return {
    what: 'Counters equal the ledger, and every file is paid for once',
    seen: `counter ${counter}, ledger ${ledger}, ${unpaid} files without a unit`,
    holds: counter === ledger && paid.size === ledger && unpaid === 0,
  };
}

function memoryFinding({ memory }: Run, size: Size): Finding {
  const medians = memory.map((list) => list.toSorted((left, right) => left - right)[list.length >> 1] ?? 0);
  const [base = 0, ...later] = medians.slice(1);
  const ratio = Math.max(...later) / base;
  return {
    what:
      size === 'long'
        ? 'Memory of the service, from the second tenth of the run on, stays within 1.1 ×'
        : 'Memory of the service in tenths of the run; it is too short to judge',
    seen: `${medians.map((bytes) => Math.round(bytes / 2 ** 20)).join(', ')} MiB; ${ratio.toFixed(2)} ×`,
    holds: size === 'short' || ratio <= 1.1,
  };
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The service takes a moment to notice that our connections were closed. */
async function descriptorsAtRest(pid: number, expected = 0): Promise<number> {
  let [least, same] = [openDescriptors(pid), 0];
  await waitFor(
    'descriptors to come down',
    async () => {
      await nextTurn();
      const now = openDescriptors(pid);
      same = now < least ? 0 : same + 1;
      least = Math.min(least, now);
      return expected === 0 ? same > 25 : least <= expected;
    },
    5_000,
  ).catch(() => {});
  return least;
}
