// npm run bench [-- NAME ...]: prints the figures and writes them into lab/figures/benchmarks.md, with a chart for each benchmark.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawChart } from '#lab/bench/chart.ts';
import { columnNames, columnsOf, type Benchmark } from '#lab/bench/figures.ts';
import { benchPdfs, benchScreenshots } from '#lab/bench/render.ts';
import { benchQueued } from '#lab/bench/queued.ts';
import { benchSearches } from '#lab/bench/search.ts';
import { benchServing } from '#lab/bench/serve.ts';
import { benchStart } from '#lab/bench/start.ts';
import { benchUploads } from '#lab/bench/upload.ts';
import { benchVariants } from '#lab/bench/variants.ts';
import { benchVersions } from '#lab/bench/versions.ts';
import { figuresFolder, print, runSections, tableRow, type Section } from '#lab/report.ts';

const benchmarks: { name: string; title: string; measure: Benchmark }[] = [
  { name: 'screenshot', title: 'Screenshots', measure: benchScreenshots },
  { name: 'pdf', title: 'PDFs', measure: benchPdfs },
  { name: 'versions', title: 'Version 2 beside version 1', measure: benchVersions },
  { name: 'queued', title: 'Queued renders', measure: benchQueued },
  { name: 'upload', title: 'Uploads', measure: benchUploads },
  { name: 'serve', title: 'Serving files', measure: benchServing },
  { name: 'variants', title: 'Variants of pictures', measure: benchVariants },
  { name: 'search', title: 'Searches', measure: benchSearches },
  { name: 'start', title: 'Start', measure: benchStart },
];

const measured: Section[] = benchmarks.map(({ name, title, measure }) => ({
  name,
  title,
  run: async () => {
    const figures = await measure((line) => print(`  … ${line}`));
    show([columnNames, ...figures.map(columnsOf)]);
    mkdirSync(join(figuresFolder, 'charts'), { recursive: true });
    writeFileSync(join(figuresFolder, 'charts', `${name}.svg`), drawChart(title, figures));
    return [
      `![The ratios of the table below as bars](charts/${name}.svg)`,
      '',
      ...tableOf([columnNames, ...figures.map(columnsOf)]),
    ];
  },
}));

await runSections('benchmarks.md', measured);

function tableOf([names = [], ...rows]: string[][]): string[] {
  return [tableRow(names), tableRow(names.map(() => '---')), ...rows.map(tableRow)];
}

function show(rows: string[][]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  for (const cells of rows)
    print(`  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
}
