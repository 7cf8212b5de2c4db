// The disk is full, the folder read-only, or another process locks the database: what cannot be stored gets a 500 and costs no
// unit, everything else works as before, and all is well again after the fault. Spec 7, 8.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { countLost, screenshot, upload, type Outcome } from '#lab/prove/faults/requests.ts';
import type { Finding, Size } from '#lab/prove/proof.ts';
import * as images from '#test/support/images.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';
import {
  disagreement,
  endless,
  readBooks,
  startProduct,
  storedIn,
  type Product,
} from '#test/support/product.ts';

const MiB = 1024 * 1024;

interface Volume {
  path: string;
  remount(options: string): void;
  remove(): Promise<void>;
}

/** A separate file system, which can be made small or read-only; only root may mount one. */
async function mountVolume(): Promise<Volume | undefined> {
  const { path, remove } = await temporaryFolder();
  const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'pipe' });
  try {
    mount('-t', 'tmpfs', '-o', 'size=64m', 'tintype-proof', path);
  } catch {
    await remove();
    return undefined;
  }
  return {
    path,
    remount: (options) => void mount('-o', `remount,${options}`, path),
    async remove() {
      execFileSync('umount', ['-l', path], { stdio: 'pipe' });
      await remove();
    },
  };
}

interface Tally {
  acknowledged: Map<string, Buffer>;
  statuses: Map<string, number>;
}

function note(tally: Tally, outcome: Outcome<object>, bytes?: Buffer): number {
  const count = (name: string): unknown => tally.statuses.set(name, (tally.statuses.get(name) ?? 0) + 1);
  if (outcome === 'lost') {
    count('lost');
    return 0;
  }
  const { slug, error } = outcome.body as { slug?: string; error?: { code: string } };
  count(`${outcome.status} ${error?.code ?? ''}`.trim());
  if (bytes && slug !== undefined) tally.acknowledged.set(slug, bytes);
  return outcome.status;
}

const listed = ({ statuses }: Tally): string =>
  [...statuses].map(([name, count]) => `${count} × ${name}`).join(', ');
const isHonest = ({ statuses }: Tally): boolean =>
  [...statuses.keys()].every((name) => ['201', '200', '500 internal'].includes(name)) &&
  statuses.has('500 internal');

/** After the fault: uploads work, nothing is lost, counters and ledger agree, and no file is left over. */
async function afterwards(product: Product, key: string, tally: Tally, what: string): Promise<Finding[]> {
  const bytes = await images.png();
  const status = note(tally, await upload(product.serving.origin, key, bytes), bytes);
  const lost = await countLost(product.serving.origin, tally.acknowledged);
  const books = readBooks(product.path);
  const wrong = disagreement(books);
  const { store, spool } = await storedIn(product.path);
  const ready = await fetch(`${product.serving.origin}/readyz`);
  return [
    {
      what: `${what}: what cannot be kept answers 500 internal, and nothing else goes wrong`,
      seen: listed(tally),
      holds: isHonest(tally),
    },
    {
      what: 'and when it is over: ready, uploads work, nothing acknowledged is lost, nothing that failed is charged or left over',
      seen:
        `upload ${status}, /readyz ${ready.status}, ${tally.acknowledged.size} acknowledged, ${lost} lost, ` +
        `${wrong ?? `${books.ledger.length} units for as many rows`}, ${store.length} files for ${books.uploads.length} rows, ${spool.length} spools`,
      holds:
        status === 201 &&
        ready.status === 200 &&
        lost === 0 &&
        wrong === undefined &&
        spool.length === 0 &&
        store.length === books.uploads.length,
    },
  ];
}

/** If no volume can be mounted, a limit on file size: the write that reaches it is short, the next one fails. */
const limitedCommand = [
  'bash',
  '-c',
  'ulimit -f 8192 && exec node "$0" serve',
  join(root, 'bin', 'tintype.js'),
];

export async function fillTheDisk(size: Size): Promise<Finding[]> {
  const pages = await startPageServer({ '/': '<h1>page</h1>' });
  const volume = await mountVolume();
  volume?.remount('size=12m');
  const environment = { EGRESS_ALLOW: pages.host };
  const product = await startProduct(
    volume ? { path: volume.path, environment } : { command: limitedCommand, environment },
  );
  try {
    const key = await product.newKey(endless);
    const tally: Tally = { acknowledged: new Map(), statuses: new Map() };
    const picture = await images.png();
    const shoot = async () => note(tally, await screenshot(product.serving.origin, key, `${pages.base}/`));
    const sizes = volume ? [1 * MiB, 300_000, 100_000, 10_000, 500] : [8 * MiB + 1, 9 * MiB, 10_000, 500];
    const uploads = size === 'short' ? 60 : 400;
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < uploads) {
        const padding = randomBytes(sizes[Math.floor((next / uploads) * sizes.length)] ?? 500);
        next += 1;
        const bytes = Buffer.concat([picture, padding]);
        note(tally, await upload(product.serving.origin, key, bytes), bytes);
        if (next % 20 === 0) await shoot();
      }
    };
    await shoot();
    await Promise.all([client(), client(), client(), client()]);
    volume?.remount('size=64m');
    const how = volume
      ? 'a tmpfs of 12 MiB'
      : 'a limit of 8 MiB on files, as only root may mount a small disk';
    return await afterwards(product, key, tally, `A full disk (${how}), uploads and renders`);
  } finally {
    await product.stop();
    await volume?.remove();
    await pages.close();
  }
}

export async function makeTheFolderReadOnly(): Promise<Finding[]> {
  const folder = await temporaryFolder();
  const blobs = join(folder.path, 'blobs');
  await mkdir(blobs);
  const volume = await mountVolume();
  if (volume) execFileSync('mount', ['--bind', volume.path, blobs], { stdio: 'pipe' });
  const product = await startProduct({ path: folder.path });
  try {
    const key = await product.newKey(endless);
    const tally: Tally = { acknowledged: new Map(), statuses: new Map() };
    const send = async (bytes: Buffer): Promise<void> => {
      note(tally, await upload(product.serving.origin, key, bytes), bytes);
    };
    const picture = await images.png();
    const large = Buffer.concat([picture, randomBytes(2 * MiB)]);
    for (const bytes of [picture, large]) await send(bytes);
    await setWritable(false);
    for (let sent = 0; sent < 10; sent += 1) await send(sent % 2 === 0 ? picture : large);
    const readable = (await countLost(product.serving.origin, tally.acknowledged)) === 0;
    const ready = await fetch(`${product.serving.origin}/readyz`);
    await setWritable(true);
    return [
      ...(await afterwards(product, key, tally, 'The blob folder gone read-only')),
      {
        what: 'and while it is read-only: what is stored can be read, and /readyz says that storage fails',
        seen: `${readable ? 'all' : 'not all'} read, /readyz ${ready.status}`,
        holds: readable && ready.status === 503,
      },
    ];
  } finally {
    await product.stop();
    if (volume) execFileSync('umount', ['-l', blobs], { stdio: 'pipe' });
    await volume?.remove();
    await folder.remove();
  }

  /** Permissions do not bind root, who uses a volume instead. */
  async function setWritable(isWritable: boolean): Promise<void> {
    volume?.remount(isWritable ? 'rw' : 'ro');
    if (volume) return;
    for (const entry of await readdir(join(blobs, 'uploads'), { recursive: true, withFileTypes: true }))
      if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), isWritable ? 0o700 : 0o500);
  }
}

/** Another process holds the write lock, for less and for more time than the service waits. */
export async function lockTheDatabase(size: Size): Promise<Finding[]> {
  const holdsMs = size === 'short' ? [8_000] : [1_500, 8_000];
  const product = await startProduct();
  try {
    const key = await product.newKey(endless);
    const tally: Tally = { acknowledged: new Map(), statuses: new Map() };
    const picture = await images.png();
    const slowest: number[] = [];
    for (const heldMs of holdsMs) {
      const other = new DatabaseSync(join(product.path, 'tintype.db'), { timeout: 5_000 });
      other.exec('begin exclusive');
      const startedAt = performance.now();
      const sent = Array.from({ length: 4 }, async () => {
        const bytes = Buffer.concat([picture, randomBytes(100)]);
        note(tally, await upload(product.serving.origin, key, bytes), bytes);
        return performance.now() - startedAt;
      });
      await sleep(heldMs);
      other.exec('rollback');
      other.close();
      slowest.push(Math.max(...(await Promise.all(sent))) - heldMs);
    }
    const held = holdsMs.map((ms) => `${ms / 1_000} s`).join(' and for ');
    return [
      ...(await afterwards(product, key, tally, `The database locked by another process for ${held}`)),
      {
        what: 'and every upload is answered soon after the lock is gone',
        seen: `the slowest ${slowest.map((ms) => `${(ms / 1_000).toFixed(1)} s`).join(' and ')} later`,
        holds: slowest.every((ms) => ms < 10_000),
      },
    ];
  } finally {
    await product.stop();
  }
}
