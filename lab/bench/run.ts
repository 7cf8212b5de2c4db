// npm run bench [-- NAME ...]: prints the figures and writes them into docs/benchmarks.md, with a chart for each benchmark.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawChart } from '#lab/bench/chart.ts';
import { columnNames, columnsOf, type Benchmark, type Figure } from '#lab/bench/figures.ts';
import { benchFleet } from '#lab/bench/fleet.ts';
import { benchGrowth } from '#lab/bench/growth.ts';
import { benchLedger } from '#lab/bench/ledger.ts';
import { benchMemory } from '#lab/bench/render-memory.ts';
import { benchPdfs, benchScreenshots } from '#lab/bench/render.ts';
import { benchServing } from '#lab/bench/serve.ts';
import { benchStart } from '#lab/bench/start.ts';
import { benchUploads } from '#lab/bench/upload.ts';
import { benchWall } from '#lab/bench/wall.ts';
import { docs, print, runSections, tableRow } from '#lab/report.ts';

const benchmarks: { name: string; title: string; measure: Benchmark }[] = [
  { name: 'screenshot', title: 'Screenshots', measure: benchScreenshots },
  { name: 'wall', title: 'Screenshots beside a floor with the same wall', measure: benchWall },
  { name: 'pdf', title: 'PDFs', measure: benchPdfs },
  { name: 'memory', title: 'Memory of renders', measure: benchMemory },
  { name: 'upload', title: 'Uploads', measure: benchUploads },
  { name: 'serve', title: 'Serving files', measure: benchServing },
  { name: 'growth', title: 'Growth', measure: benchGrowth },
  { name: 'ledger', title: 'A long ledger on Postgres', measure: benchLedger },
  { name: 'start', title: 'Start', measure: benchStart },
  { name: 'fleet', title: 'Uploads on Postgres and S3', measure: benchFleet },
];

await runSections(
  'bench',
  'benchmarks.md',
  benchmarks.map(({ name, title, measure }) => ({
    name,
    title,
    run: async () => {
      const figures = await measure((line) => print(`  … ${line}`));
      show(figures);
      mkdirSync(join(docs, 'benchmarks'), { recursive: true });
      writeFileSync(join(docs, 'benchmarks', `${name}.svg`), drawChart(title, figures));
      return [
        `![The ratios of the table below as bars](benchmarks/${name}.svg)`,
        '',
        tableRow(columnNames),
        tableRow(columnNames.map(() => '---')),
        ...figures.map((figure) => tableRow(columnsOf(figure))),
      ];
    },
  })),
);

function show(figures: Figure[]): void {
  const rows = [columnNames, ...figures.map(columnsOf)];
  const widths = columnNames.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  for (const cells of rows)
    print(`  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
}
