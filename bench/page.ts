// Writes the figures of bench/results.json into docs/benchmarks.md, between its two markers, with a chart for each benchmark;
// the words around them are kept.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawChart } from '#bench/chart.ts';
import { columnNames, columnsOf } from '#bench/figures.ts';
import { readResults } from '#bench/results.ts';

const docs = join(import.meta.dirname, '..', 'docs');
const page = join(docs, 'benchmarks.md');
const begin = '<!-- figures: written by npm run bench -->';
const end = '<!-- end of figures -->';

export function writeBenchmarksPage(titles: Record<string, string>): void {
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`${page} has lost its markers`);
  writeFileSync(page, `${text.slice(0, from)}\n\n${sections(titles).join('\n\n')}\n\n${text.slice(to)}`);
}

function sections(titles: Record<string, string>): string[] {
  const results = readResults();
  return Object.entries(titles).flatMap(([name, title]) => {
    const result = results[name];
    if (!result) return [];
    const { date, machine, seconds, figures } = result;
    mkdirSync(join(docs, 'benchmarks'), { recursive: true });
    writeFileSync(join(docs, 'benchmarks', `${name}.svg`), drawChart(title, figures));
    return [
      [
        `### ${title}`,
        '',
        `\`npm run bench -- ${name}\`, ${date}, ${seconds} s on ${machine}.`,
        '',
        `![The ratios of the table below as bars](benchmarks/${name}.svg)`,
        '',
        row(columnNames),
        row(columnNames.map(() => '---')),
        ...figures.map((figure) => row(columnsOf(figure))),
      ].join('\n'),
    ];
  });
}

const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;
