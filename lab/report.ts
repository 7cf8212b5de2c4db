// Shared by benchmarks and proofs: runs the requested ones by name. Results go into a page in lab/figures/, between its two markers; those
// of other runs stay as they are, so one can be run at a time.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

export const figuresFolder = join(import.meta.dirname, 'figures');

export interface Section {
  /** Its name in `npm run bench -- NAME`. */
  name: string;
  /** The heading on the page. */
  title: string;
  /** Runs it and prints what it found; returns the Markdown of its section. */
  run: () => Promise<string[]>;
}

/** When, how long and where something ran. */
export interface Ran {
  date: string;
  seconds: number;
  machine: string;
}

/** Runs the benchmarks named on the command line, or all of them, and keeps the page up to date after each. */
export function runSections(page: string, sections: Section[]): Promise<void> {
  return runNamed(
    sections,
    ({ run }) => run(),
    ({ name, title }, lines, { date, seconds, machine }) => {
      const ran = `\`npm run bench -- ${name}\`, ${date}, ${seconds} s on ${machine}.`;
      const titles = sections.map((section) => section.title);
      rewritePage(page, (text) => replaceSection(text, titles, title, [ran, '', ...lines]));
    },
  );
}

/** Runs those named on the command line, or all, one after the other. `keep` gets each result when it is there. */
export async function runNamed<T extends { name: string; title: string }, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  keep: (item: T, result: R, ran: Ran) => void,
): Promise<void> {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !items.some((item) => item.name === name));
  if (unknown !== undefined) {
    process.stderr.write(`unknown name "${unknown}" (known: ${items.map(({ name }) => name).join(', ')})\n`);
    process.exit(2);
  }
  for (const item of items) {
    const { name, title } = item;
    if (names.length > 0 && !names.includes(name)) continue;
    const machine = describeMachine();
    print(`\n▶ ${name}: ${title}\n  ${machine}`);
    const startedAt = performance.now();
    const result = await work(item);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    keep(item, result, { date: new Date().toISOString().slice(0, 10), seconds, machine });
  }
}

export function rewritePage(page: string, change: (text: string) => string): void {
  const file = join(figuresFolder, page);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

const begin = '<!-- begin: figures, written by npm run -->';
const end = '<!-- end: figures -->';

/** The page with one section replaced or added; sections are in the order of `titles`. */
export function replaceSection(page: string, titles: string[], title: string, lines: string[]): string {
  const kept = new Map(
    partsOf(page)
      .figures.split(/^### /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')), `### ${text.trim()}`]),
  );
  kept.set(title, [`### ${title}`, '', ...lines].join('\n'));
  const ordered = titles.flatMap((name) => kept.get(name) ?? []);
  return replaceFigures(page, ordered.join('\n\n'));
}

/** The page with everything between its markers replaced. */
export function replaceFigures(page: string, figures: string): string {
  const { before, after } = partsOf(page);
  return `${before}${begin}\n\n${figures}\n\n${end}${after}`;
}

function partsOf(page: string): { before: string; figures: string; after: string } {
  const [before, rest] = page.split(begin);
  const [figures, after] = rest?.split(end) ?? [];
  if (before === undefined || figures === undefined || after === undefined)
    throw new Error(`the page lacks "${begin}" or "${end}"`);
  return { before, figures, after };
}

export function tableRow(cells: string[]): string {
  return `| ${cells.join(' | ')} |`;
}

export function print(line: string): void {
  process.stdout.write(`${line.trimEnd()}\n`);
}

function describeMachine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const load = loadavg()[0]?.toFixed(1);
  return `${cpus().length} ${process.arch} cores (${cpus()[0]?.model}), ${memory}, Node ${process.version}, load ${load} before`;
}
