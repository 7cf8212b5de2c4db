// npm run prove -- same-pictures FOLDER[:GLOB] ...: captures every page of the folders by version 1 and by version 2 with its defaults, in
// turns, the viewport and the full page, and compares the pictures pixel by pixel. COMPARE_WITH=folder also compares with version 1 of
// another checkout. PAGES_PER_FOLDER=5 takes five pages of each folder.
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { startMeasuredService, type MeasuredService } from '#lab/bench/service.ts';
import { evenlySpaced, servePages } from '#lab/prove/fidelity/pages.ts';
import type { Finding, Proof } from '#lab/prove/proof.ts';

/** Full pages take long, so they are taken of some pages. */
const modes = { viewport: { isFullPage: false, every: 1 }, 'full page': { isFullPage: true, every: 4 } };
const takes = 2;
/** Takes of a page whose pictures differ: a page that never looks the same twice is found out. */
const furtherTakes = 4;
const sayEvery = 10;

export const samePicturesProof: Proof = {
  name: 'same-pictures',
  title: 'Pictures of version 2 beside version 1',
  takesArguments: true,
  async run(_, say, folders = []) {
    await using cleanUp = new AsyncDisposableStack();
    const served = await servePages(folders);
    cleanUp.defer(served.close);
    const open = async (checkout?: string): Promise<MeasuredService> => {
      const service = await startMeasuredService({ EGRESS_ALLOW: served.hosts.join(',') }, { checkout });
      cleanUp.defer(service.stop);
      return service;
    };
    const today = await open();
    const before = process.env['COMPARE_WITH'];
    const others: Record<string, Capture> = {
      'version 2': (url, isFullPage) => capture(today, '/api/v2/renders', url, isFullPage),
      ...(before !== undefined && { 'version 1 before': capturesOf(await open(before)) }),
    };
    const pages = evenlySpaced(served.pages);
    const findings: Finding[] = [];
    for (const [mode, { isFullPage, every }] of Object.entries(modes)) {
      const measured = pages.filter((_page, index) => index % every === 0);
      const counts = new Map(Object.keys(others).map((name) => [name, noCounts()]));
      for (const [index, { name, url }] of measured.entries()) {
        const results = await compare(capturesOf(today), others, url, isFullPage);
        for (const [other, { verdict, words }] of Object.entries(results)) {
          counts.get(other)![verdict] += 1;
          if (verdict !== 'identical') say(`${mode}, ${name}, ${other}: ${verdict}: ${words}`);
        }
        if ((index + 1) % sayEvery === 0) say(`${mode}: ${index + 1} of ${measured.length} pages`);
      }
      for (const [other, count] of counts)
        findings.push({
          what: `${mode}: ${other} makes version 1's picture, pixel by pixel`,
          seen: [
            `${measured.length} pages`,
            ...Object.entries(count).map(([verdict, n]) => `${n} ${verdict}`),
          ].join(', '),
          holds: measured.length > 0 && count.different === 0,
        });
    }
    return findings;
  },
};

/**
 * `shared`: not all takes look the same, but both versions made the same picture at least once. `unsteady`: version 1 made several
 * pictures, and none of them was made by the other.
 */
const noCounts = () => ({ identical: 0, shared: 0, unsteady: 0, different: 0 });
type Verdict = keyof ReturnType<typeof noCounts>;

/** Resolves to a digest of the picture's pixels, or to what went wrong. */
type Capture = (url: string, isFullPage: boolean) => Promise<string>;

const capturesOf =
  (service: MeasuredService): Capture =>
  (url, isFullPage) =>
    capture(service, '/api/v1/screenshot', url, isFullPage);

async function capture(
  { origin, key }: MeasuredService,
  path: string,
  url: string,
  isFullPage: boolean,
): Promise<string> {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, full_page: isFullPage }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) return `status ${response.status}`;
  const image = sharp(bytes, { limitInputPixels: false });
  const { data, info } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return `${info.width} × ${info.height} ${createHash('sha256').update(data).digest('hex').slice(0, 12)}`;
}

/** In turns, so that a page that changes with time changes for all of them. */
async function compare(
  reference: Capture,
  others: Record<string, Capture>,
  url: string,
  isFullPage: boolean,
): Promise<Record<string, { verdict: Verdict; words: string }>> {
  const references: string[] = [];
  const taken = Object.fromEntries(Object.keys(others).map((name): [string, string[]] => [name, []]));
  const isSettled = (): boolean => new Set([...references, ...Object.values(taken).flat()]).size === 1;
  for (let take = 0; take < takes || (!isSettled() && take < takes + furtherTakes); take += 1) {
    references.push(await reference(url, isFullPage));
    for (const [name, other] of Object.entries(others)) taken[name]!.push(await other(url, isFullPage));
  }
  return Object.fromEntries(
    Object.entries(taken).map(([name, pictures]) => [
      name,
      {
        verdict: verdictOn(new Set(references), new Set(pictures)),
        words: `${pictures.join(', ')}; version 1: ${references.join(', ')}`,
      },
    ]),
  );
}

function verdictOn(references: Set<string>, pictures: Set<string>): Verdict {
  const all = references.union(pictures);
  if (all.size === 1) return 'identical';
  if (!references.isDisjointFrom(pictures)) return 'shared';
  return references.size > 1 ? 'unsteady' : 'different';
}
