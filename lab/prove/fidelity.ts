// npm run prove -- fidelity FOLDER[:GLOB] ...: renders every page of the folders with the service's browser and with the
// reference, in both modes and as PDF, and writes one page with the pictures side by side into test/output/fidelity/.
import { join } from 'node:path';
import { compare, equalShare, modes } from '#lab/prove/fidelity/compare.ts';
import type { Comparison, Mode, Rendered, Renderer } from '#lab/prove/fidelity/compare.ts';
import { servePages } from '#lab/prove/fidelity/pages.ts';
import { startReference } from '#lab/prove/fidelity/reference.ts';
import { createReportPage } from '#lab/prove/fidelity/report-page.ts';
import type { Finding, Proof } from '#lab/prove/proof.ts';
import { startTestBrowser } from '#test/support/browser.ts';

const root = join(import.meta.dirname, '..', '..');
const output = join(root, 'test', 'output', 'fidelity');
// The reference spends most of its time waiting, so several pages run at once.
const sideBySide = 3;
const sayEvery = 10;
// A few public pages never look the same twice: a clock, a game, a random picture.
const leastEqual = 0.9;

export const fidelityProof: Proof = {
  name: 'fidelity',
  title: 'Pictures and PDFs beside a plain reference',
  takesArguments: true,
  async run(_, say, folders = []) {
    const served = await servePages(folders);
    const report = createReportPage(output);
    const [ours, reference] = await Promise.all([startOurs(served.hosts), startReference()]);
    const totals = new Map(modes.map((mode) => [mode, { pages: 0, equal: 0, oursMs: 0, referenceMs: 0 }]));
    const waiting = [...served.pages];
    let done = 0;
    const work = async () => {
      for (let page = waiting.shift(); page; page = waiting.shift()) {
        const [mine, plain] = await Promise.all([ours.render(page.url), reference.render(page.url)]);
        for (const mode of modes) {
          const comparison = await compare(page.name, mode, mine[mode], plain[mode]);
          add(totals.get(mode)!, comparison);
          if (comparison.differs > equalShare) say(`${page.name} (${mode}): ${comparison.words}`);
          await report.add(comparison);
        }
        done += 1;
        if (done % sayEvery === 0) {
          say(`${done} of ${served.pages.length} pages`);
          report.write(summaryOf(totals));
        }
      }
    };
    try {
      await Promise.all(Array.from({ length: sideBySide }, work));
    } finally {
      report.write(summaryOf(totals));
      await Promise.all([ours.close(), reference.close(), served.close()]);
    }
    say(`the pictures are in ${report.file}`);
    return [...totals].map(([mode, total]) => findingOf(mode, total));
  },
};

interface Total {
  pages: number;
  equal: number;
  oursMs: number;
  referenceMs: number;
}

async function startOurs(hosts: string[]): Promise<Renderer> {
  const kit = await startTestBrowser(hosts, { concurrency: sideBySide });
  const attempt = async (render: () => Promise<Omit<Rendered, 'ms'>>): Promise<Rendered | Error> => {
    const startedAt = performance.now();
    try {
      return { ...(await render()), ms: performance.now() - startedAt };
    } catch (error) {
      return error as Error;
    }
  };
  return {
    render: async (url) => ({
      viewport: await attempt(async () => ({ picture: (await kit.shoot(url)).bytes })),
      fullPage: await attempt(async () => ({ picture: (await kit.shoot(url, { fullPage: true })).bytes })),
      pdf: await attempt(async () => ({ pdf: (await kit.print(url, { waitUntil: 'networkidle2' })).bytes })),
    }),
    close: () => kit.close(),
  };
}

function add(total: Total, { differs, ours, reference }: Comparison): void {
  total.pages += 1;
  if (differs <= equalShare) total.equal += 1;
  total.oursMs += ours.ms;
  total.referenceMs += reference.ms;
}

function findingOf(mode: Mode, { pages, equal, oursMs, referenceMs }: Total): Finding {
  const share = `${equal} of ${pages} pages (${((100 * equal) / Math.max(pages, 1)).toFixed(1)} %)`;
  const times = `in ${(oursMs / Math.max(referenceMs, 1)).toFixed(2)} of its time`;
  const what =
    mode === 'pdf' ? 'PDF: as many pages as the reference' : `${mode}: at most 0.2 % of the pixels differ`;
  return { what, seen: `${share}, ${times}`, holds: pages > 0 && equal / pages >= leastEqual };
}

function summaryOf(totals: Map<Mode, Total>): string[] {
  return [...totals].map(([mode, total]) => {
    const { what, seen } = findingOf(mode, total);
    return `${what}: ${seen}`;
  });
}
