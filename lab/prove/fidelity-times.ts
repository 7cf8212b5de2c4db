// npm run prove -- fidelity-times FOLDER[:GLOB] ...: compares the time of full pages and PDFs with the reference's way to the
// same result (load, network idle, scroll through, capture), in turns, one at a time.
import { servePages } from '#lab/prove/fidelity/pages.ts';
import { startReference } from '#lab/prove/fidelity/reference.ts';
import type { Finding, Proof } from '#lab/prove/proof.ts';
import { startTestBrowser } from '#test/support/browser.ts';
import { browsers, treeCpuMs } from '#test/support/process-table.ts';

const rounds = 3;
// Relative to the reference's time.
const mostInAll = 0.5;
const mostOnOne = 0.8;
// A PDF waits for 500 ms without requests, and so does the reference.
const mostForPdfs = 1;

const modes = ['full page', 'PDF'] as const;

/** For one page and one side: the median of the rounds. */
interface Cost {
  ms: number;
  cpuMs: number;
}

export const fidelityTimesProof: Proof = {
  name: 'fidelity-times',
  title: 'Full pages and PDFs beside a plain reference: times',
  takesArguments: true,
  async run(_, say, folders = []) {
    const served = await servePages(folders);
    const sides = await startSides(served.hosts);
    const findings: Finding[] = [];
    try {
      for (const mode of modes) {
        const pairs: { page: string; ours: Cost; reference: Cost }[] = [];
        for (const page of served.pages) {
          const [ours, reference] = await inTurns(sides, mode, page.url);
          pairs.push({ page: page.name, ours: ours!, reference: reference! });
          const words = [ours!, reference!].map(({ ms, cpuMs }) => `${ms.toFixed(0)} ms (CPU ${cpuMs})`);
          say(`${page.name} (${mode}): ${words.join(', reference ')}`);
        }
        findings.push(...findingsOf(mode, pairs));
      }
      return findings;
    } finally {
      await Promise.all(sides.map(({ close }) => close()));
      await served.close();
    }
  },
};

interface Side {
  pid: number;
  run: Record<(typeof modes)[number], (url: string) => Promise<unknown>>;
  close(): Promise<void>;
}

async function startSides(hosts: string[]): Promise<Side[]> {
  const kit = await startTestBrowser(hosts, { concurrency: 1 });
  const [{ pid } = { pid: 0 }] = browsers();
  const reference = await startReference();
  const other = browsers().find((row) => row.pid !== pid);
  return [
    {
      pid,
      run: {
        'full page': (url) => kit.shoot(url, { fullPage: true }),
        PDF: (url) => kit.print(url, { waitUntil: 'networkidle2' }),
      },
      close: () => kit.close(),
    },
    {
      pid: other?.pid ?? 0,
      run: { 'full page': reference.shootFullPage, PDF: reference.print },
      close: () => reference.close(),
    },
  ];
}

async function inTurns(sides: Side[], mode: (typeof modes)[number], url: string): Promise<Cost[]> {
  const costs: Cost[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, side] of sides.entries()) {
      const cpuBefore = treeCpuMs(side.pid);
      const ownBefore = process.cpuUsage();
      const startedAt = performance.now();
      await side.run[mode](url);
      const ms = performance.now() - startedAt;
      const own = process.cpuUsage(ownBefore);
      const cpuMs = treeCpuMs(side.pid) - cpuBefore + Math.round((own.user + own.system) / 1_000);
      costs[index]!.push({ ms, cpuMs });
    }
  }
  return costs.map((taken) => ({
    ms: median(taken.map(({ ms }) => ms)),
    cpuMs: median(taken.map(({ cpuMs }) => cpuMs)),
  }));
}

function findingsOf(
  mode: (typeof modes)[number],
  pairs: { page: string; ours: Cost; reference: Cost }[],
): Finding[] {
  const share = (of: keyof Cost) =>
    sum(pairs.map(({ ours }) => ours[of])) / sum(pairs.map(({ reference }) => reference[of]));
  const [worst] = pairs.toSorted((a, b) => ratio(b) - ratio(a));
  const allowed = mode === 'PDF' ? mostForPdfs : mostInAll;
  const inAll = `${share('ms').toFixed(2)} of its time, ${share('cpuMs').toFixed(2)} of its processor time, over ${pairs.length} pages`;
  const findings = [
    {
      what: `${mode}: at most ${allowed} of the reference's time in all`,
      seen: inAll,
      holds: share('ms') <= allowed,
    },
  ];
  if (mode === 'full page' && worst)
    findings.push({
      what: `${mode}: at most ${mostOnOne} of it on every page`,
      seen: `at worst ${ratio(worst).toFixed(2)} (${worst.page})`,
      holds: ratio(worst) <= mostOnOne,
    });
  return findings;
}

const ratio = ({ ours, reference }: { ours: Cost; reference: Cost }): number => ours.ms / reference.ms;
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
