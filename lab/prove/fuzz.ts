// Generated requests to the real service over real sockets. Every response is checked three times: against the contract, against
// the OpenAPI document that the service publishes, and against a second implementation of the spec for this very request.
// PROVE_SEED, PROVE_FIRST and PROVE_CASES select the cases; a fault prints its seed and its number.
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import type { FuzzCase, Generator, World } from '#lab/prove/fuzz/case.ts';
import { forms } from '#lab/prove/fuzz/forms.ts';
import { hardlyHttp } from '#lab/prove/fuzz/hardly-http.ts';
import { hostedThings } from '#lab/prove/fuzz/hosted-things.ts';
import { jsonBodies } from '#lab/prove/fuzz/json-bodies.ts';
import { pictures } from '#lab/prove/fuzz/pictures.ts';
import { createRandom, type Random } from '#lab/prove/fuzz/random.ts';
import { renderBodies } from '#lab/prove/fuzz/render-bodies.ts';
import { routes } from '#lab/prove/fuzz/routes.ts';
import { svgs } from '#lab/prove/fuzz/svgs.ts';
import { openWire, type Wire } from '#lab/prove/fuzz/wire.ts';
import {
  createContract,
  type Answered,
  type Contract,
  type OpenapiDocument,
} from '#test/support/contract.ts';
import * as images from '#test/support/images.ts';
import { rssBytes } from '#test/support/process-table.ts';
import { endless, readBooks, spent, startProduct, storedIn, type Product } from '#test/support/product.ts';
import { uploadOne } from '#test/support/uploading.ts';
import { waitFor } from '#test/support/wait-for.ts';

const counts: Record<Size, number> = { short: 2_500, long: 110_000 };
const wires = 12;
const shownFaults = 20;

/** Percentage of cases of this kind. */
const mix: [share: number, name: string, generator: Generator][] = [
  [24, 'JSON bodies', jsonBodies],
  [10, 'renders of version 2', renderBodies],
  [26, 'forms', forms],
  [12, 'paths and headers', routes],
  [5, 'hosted things', hostedThings],
  [3, 'hardly HTTP', hardlyHttp],
  [12, 'pictures', pictures],
  [8, 'SVGs', svgs],
];

interface Tally {
  cases: Map<string, number>;
  statuses: Map<number, number>;
  closed: number;
  contract: string[];
  judgement: string[];
  silence: string[];
}

export const fuzz: Proof = {
  name: 'fuzz',
  title: 'Generated requests',
  async run(size, say) {
    const { PROVE_SEED, PROVE_FIRST = 0, PROVE_CASES = counts[size] } = process.env;
    const seed = Number(PROVE_SEED ?? (size === 'short' ? 1 : Date.now() % 1_000_000));
    say(`seed ${seed}: PROVE_SEED=${seed} PROVE_FIRST=case PROVE_CASES=1 repeats a case`);
    const product = await startProduct({ environment: { TRUST_PROXY: 'true' } });
    try {
      const world = await openWorld(product);
      const contracts = [await contractIn(world, 'openapi.json'), await contractIn(world, 'openapi-v2.json')];
      const memoryBefore = rssBytes(product.serving.child.pid);
      const span = { first: Number(PROVE_FIRST), cases: Number(PROVE_CASES) };
      const tally = await runCases({ seed, ...span, world, contracts, port: product.port, say });
      return [...findingsOf(tally, seed), ...(await standingOf(product, memoryBefore))];
    } finally {
      await product.stop();
    }
  },
};

async function contractIn({ read }: World, name: string): Promise<Contract> {
  const { body } = await read(`../${name}`);
  return createContract(JSON.parse(body.toString()) as OpenapiDocument);
}

async function openWorld(product: Product): Promise<World> {
  const { serving, port } = product;
  const keys = { open: await product.newKey(endless), spent: await product.newKey(spent) };
  const bytes = await images.png(40, 30);
  const upload = await uploadOne(serving.origin, keys.open, { bytes });
  const reader = openWire(port);
  let turn: Promise<unknown> = Promise.resolve();
  const read = (slug: string): Promise<Answered> => {
    const pieces = [Buffer.from(`GET /f/${slug} HTTP/1.1\r\nHost: x\r\n\r\n`.replace('/f/../', '/'))];
    const mine = turn.then(() => reader.exchange({ method: 'GET', pieces }));
    turn = mine.catch(() => {});
    return mine.then((answer) => answer ?? Promise.reject(new Error('closed while reading back')));
  };
  const { headers } = await read(upload.slug);
  const { id, slug, content_type: type } = upload;
  const deletePath = upload.delete_url.slice('http://tintype.test'.length);
  return { keys, read, hosted: { id, slug, bytes, type, deletePath, etag: headers['etag'] ?? '' } };
}

async function runCases(run: {
  seed: number;
  first: number;
  cases: number;
  world: World;
  /** Of both versions. */
  contracts: Contract[];
  port: number;
  say: (line: string) => void;
}): Promise<Tally> {
  const { seed, first, cases, world, contracts, port, say } = run;
  const tally: Tally = {
    cases: new Map(),
    statuses: new Map(),
    closed: 0,
    contract: [],
    judgement: [],
    silence: [],
  };
  let next = first;
  let toldAt = performance.now();

  async function work(): Promise<void> {
    const wire = openWire(port);
    while (next < first + cases && tally.silence.length < shownFaults) {
      const number = next;
      next += 1;
      await runOne(wire, number);
      if (performance.now() - toldAt < 30_000) continue;
      toldAt = performance.now();
      say(`${number - first} of ${cases} cases`);
    }
    wire.close();
  }

  async function runOne(wire: Wire, number: number): Promise<void> {
    const random = createRandom(seed, number);
    const [name, generator] = kindOf(random);
    tally.cases.set(name, (tally.cases.get(name) ?? 0) + 1);
    const given = generator(random, world);
    const note = (list: string[], fault: string): void => {
      list.push(fault);
      if (list.length <= shownFaults) say(`case ${number} (${name}): ${fault}\n${shown(given)}`);
    };
    try {
      const answer = await wire.exchange(given.sent);
      if (!answer) {
        tally.closed += 1;
        if (given.mayBeClosed !== true) note(tally.silence, 'closed without an answer');
        return;
      }
      tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
      const contract = contracts[given.asked.path.startsWith('/api/v2/') ? 1 : 0]!;
      for (const fault of contract.faultsOf(given.asked, answer))
        note(tally.contract, `${answer.status}: ${fault}`);
      const fault = await given.judge(answer, world);
      if (fault !== undefined) note(tally.judgement, fault);
    } catch (error) {
      note(tally.silence, String(error));
    }
  }

  await Promise.all(Array.from({ length: wires }, work));
  return tally;
}

function kindOf(random: Random): [string, Generator] {
  let place = random.below(100);
  for (const [share, name, generator] of mix) {
    if (place < share) return [name, generator];
    place -= share;
  }
  throw new Error('the shares do not add up to a hundred');
}

const shown = ({ sent }: FuzzCase): string => {
  const text = Buffer.concat(sent.pieces).toString('latin1');
  return (
    JSON.stringify(text.replace(/tt_\w+/g, 'tt_…').slice(0, 900)) + (sent.isCut === true ? ' (cut)' : '')
  );
};

function findingsOf(tally: Tally, seed: number): Finding[] {
  const total = [...tally.cases.values()].reduce((sum, count) => sum + count, 0);
  const listed = (entries: Map<string | number, number>): string =>
    [...entries]
      .toSorted(([left], [right]) => String(left).localeCompare(String(right)))
      .map(([name, count]) => `${count.toLocaleString('en')} × ${name}`)
      .join(', ');
  const none = (faults: string[]) => ({ seen: `${faults.length} faults`, holds: faults.length === 0 });
  return [
    { what: 'Requests generated', seen: `${listed(tally.cases)}; seed ${seed}`, holds: total > 0 },
    {
      what: 'No answer is a 5xx',
      seen: listed(tally.statuses),
      holds: [...tally.statuses.keys()].every((status) => status < 500),
    },
    {
      what: 'Every request is answered; only what was cut, or is no HTTP, may see its connection closed',
      seen: `${tally.silence.length} left without, ${tally.closed} closed`,
      holds: tally.silence.length === 0,
    },
    {
      what: 'Every answer keeps to the error table, its headers and the OpenAPI document',
      ...none(tally.contract),
    },
    { what: 'Every answer is the one that a second reading of the spec expects', ...none(tally.judgement) },
  ];
}

async function standingOf({ serving, path }: Product, memoryBefore: number): Promise<Finding[]> {
  const { child } = serving;
  await waitFor('spools to be dropped', async () => (await storedIn(path)).spool.length === 0).catch(
    () => {},
  );
  const { store, spool } = await storedIn(path);
  const books = readBooks(path);
  const errors = serving.stdout().split('\n').filter(Boolean);
  const MiB = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  return [
    {
      what: 'The service still runs and has logged no error',
      seen: `${errors.length} errors, memory ${MiB(memoryBefore)} before and ${MiB(rssBytes(child.pid))} after`,
      holds: child.exitCode === null && child.signalCode === null && errors.length === 0,
    },
    {
      what: 'Every row has its file and every file its row, the units are what the counter says, and no spool is left',
      seen: `${store.length} files, ${books.uploads.length} rows, ${books.ledger.length} units, counter ${books.counter}, ${spool.length} spools`,
      // Of an upload that has expired meanwhile, only the unit is left.
      holds:
        store.length === books.uploads.length &&
        books.ledger.length === books.counter &&
        books.ledger.length >= books.uploads.length &&
        spool.length === 0,
    },
  ];
}
