// Shared by benchmarks and proofs: runs the requested ones by name and writes the result of each into its section of a page in
// lab/figures/, between the page's two markers. Other sections stay as they are, so one can be run at a time.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

export const figuresFolder = join(import.meta.dirname, 'figures');

export interface Section {
  /** Its name in `npm run bench -- NAME` or `npm run prove -- NAME`. */
  name: string;
  /** The heading on the page. */
  title: string;
  /** Runs it and prints what it found; returns the Markdown of its section. */
  run: () => Promise<string[]>;
}

/** Runs the sections named on the command line, or all of them, and keeps the page up to date after each. */
export async function runSections(
  command: 'bench' | 'prove',
  page: string,
  sections: Section[],
): Promise<void> {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !sections.some((section) => section.name === name));
  if (unknown !== undefined) {
    process.stderr.write(
      `unknown name "${unknown}" (known: ${sections.map(({ name }) => name).join(', ')})\n`,
    );
    process.exit(2);
  }
  for (const { name, title, run } of sections) {
    if (names.length > 0 && !names.includes(name)) continue;
    const machine = describeMachine();
    print(`\n▶ ${name}: ${title}\n  ${machine}`);
    const startedAt = performance.now();
    const lines = await run();
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const date = new Date().toISOString().slice(0, 10);
    const ran = `\`npm run ${command} -- ${name}\`, ${date}, ${seconds} s on ${machine}.`;
    const titles = sections.map((section) => section.title);
    const file = join(figuresFolder, page);
    writeFileSync(file, replaceSection(readFileSync(file, 'utf8'), titles, title, [ran, '', ...lines]));
  }
}

const begin = '<!-- begin: figures, written by npm run -->';
const end = '<!-- end: figures -->';

/** The page with one section replaced or added; sections are in the order of `titles`. */
export function replaceSection(page: string, titles: string[], title: string, lines: string[]): string {
  const [before, rest] = page.split(begin);
  const [figures, after] = rest?.split(end) ?? [];
  if (before === undefined || figures === undefined || after === undefined)
    throw new Error(`the page lacks "${begin}" or "${end}"`);
  const kept = new Map(
    figures
      .split(/^### /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')), `### ${text.trim()}`]),
  );
  kept.set(title, [`### ${title}`, '', ...lines].join('\n'));
  const ordered = titles.flatMap((name) => kept.get(name) ?? []);
  return `${before}${begin}\n\n${ordered.join('\n\n')}\n\n${end}${after}`;
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
