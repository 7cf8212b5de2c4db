// npm run bench [-- NAME ...]: prints the figures and writes them into lab/figures/benchmarks.md, with a chart for each benchmark.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawChart } from '#lab/bench/chart.ts';
import { columnNames, columnsOf, type Benchmark } from '#lab/bench/figures.ts';
import { benchCost } from '#lab/bench/cost.ts';
import { benchFirstStart } from '#lab/bench/first-start.ts';
import { benchFleet } from '#lab/bench/fleet.ts';
import { benchGrowth } from '#lab/bench/growth.ts';
import { benchLedger } from '#lab/bench/ledger.ts';
import { benchMemory } from '#lab/bench/render-memory.ts';
import { benchPdfs, benchScreenshots } from '#lab/bench/render.ts';
import { benchQueued } from '#lab/bench/queued.ts';
import { benchRealPages } from '#lab/bench/real-pages.ts';
import { benchServing } from '#lab/bench/serve.ts';
import { benchStart } from '#lab/bench/start.ts';
import { benchStore } from '#lab/bench/store.ts';
import { benchTails } from '#lab/bench/tails.ts';
import { benchUploads } from '#lab/bench/upload.ts';
import { benchVariants } from '#lab/bench/variants.ts';
import { benchVersions } from '#lab/bench/versions.ts';
import { benchWall } from '#lab/bench/wall.ts';
import { figuresFolder, print, runSections, tableRow, type Section } from '#lab/report.ts';

const benchmarks: { name: string; title: string; measure: Benchmark; takesArguments?: boolean }[] = [
  { name: 'screenshot', title: 'Screenshots', measure: benchScreenshots },
  { name: 'cost', title: 'CPU time of a screenshot', measure: benchCost },
  { name: 'wall', title: 'Screenshots beside a floor with the same wall', measure: benchWall },
  { name: 'pdf', title: 'PDFs', measure: benchPdfs },
  { name: 'versions', title: 'Version 2 beside version 1', measure: benchVersions },
  { name: 'queued', title: 'Queued renders', measure: benchQueued },
  { name: 'real-pages', title: 'Public pages', measure: benchRealPages, takesArguments: true },
  { name: 'memory', title: 'Memory of renders', measure: benchMemory },
  { name: 'upload', title: 'Uploads', measure: benchUploads },
  { name: 'serve', title: 'Serving files', measure: benchServing },
  { name: 'variants', title: 'Variants of pictures', measure: benchVariants },
  { name: 'growth', title: 'Growth', measure: benchGrowth },
  { name: 'tails', title: 'The slow tail', measure: benchTails },
  { name: 'ledger', title: 'A long ledger on Postgres', measure: benchLedger },
  { name: 'start', title: 'Start', measure: benchStart },
  { name: 'first-start', title: 'First start after a clone', measure: benchFirstStart },
  { name: 'store', title: 'Stores for files', measure: benchStore },
  { name: 'fleet', title: 'Uploads on Postgres and S3', measure: benchFleet },
];

const measured: Section[] = benchmarks.map(({ name, title, measure, takesArguments = false }) => ({
  name,
  title,
  takesArguments,
  run: async (args) => {
    const figures = await measure((line) => print(`  … ${line}`), args);
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

await runSections('bench', 'benchmarks.md', measured);

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
