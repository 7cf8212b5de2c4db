// npm run bench [-- NAME ...]: the figures go to the terminal, to bench/results.json and from there into docs/benchmarks.md.
import { benchFleet } from '#bench/fleet.ts';
import { columnNames, columnsOf, type Benchmark, type Figure } from '#bench/figures.ts';
import { writeBenchmarksPage } from '#bench/page.ts';
import { keepResult, machineInWords } from '#bench/results.ts';
import { benchGrowth } from '#bench/growth.ts';
import { benchPdfs, benchScreenshots } from '#bench/render.ts';
import { benchMemory } from '#bench/render-memory.ts';
import { benchServing } from '#bench/serve.ts';
import { benchStart } from '#bench/start.ts';
import { benchUploads } from '#bench/upload.ts';
import { benchWall } from '#bench/wall.ts';

const benchmarks: Record<string, { title: string; run: Benchmark }> = {
  screenshot: { title: 'Screenshots', run: benchScreenshots },
  wall: { title: 'Screenshots beside a floor with the same wall', run: benchWall },
  pdf: { title: 'PDFs', run: benchPdfs },
  memory: { title: 'Memory of renders', run: benchMemory },
  upload: { title: 'Uploads', run: benchUploads },
  serve: { title: 'Serving files', run: benchServing },
  growth: { title: 'Growth', run: benchGrowth },
  start: { title: 'Start', run: benchStart },
  fleet: { title: 'Uploads on Postgres and S3', run: benchFleet },
};

const names = process.argv.slice(2);
const unknown = names.find((name) => !(name in benchmarks));
if (unknown !== undefined) {
  process.stderr.write(`unknown benchmark "${unknown}" (there are ${Object.keys(benchmarks).join(', ')})\n`);
  process.exit(2);
}
for (const [name, { title, run }] of Object.entries(benchmarks)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const machine = machineInWords();
  print(`\n▶ ${name}: ${title}\n  ${machine}`);
  const startedAt = performance.now();
  const figures = await run((line) => print(`  … ${line}`));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  show(figures);
  keepResult(name, { date: new Date().toISOString().slice(0, 10), machine, seconds, figures });
}
const titles = Object.entries(benchmarks).map(([name, { title }]) => [name, title]);
writeBenchmarksPage(Object.fromEntries(titles) as Record<string, string>);

function show(figures: Figure[]): void {
  const rows = [columnNames, ...figures.map(columnsOf)];
  const widths = columnNames.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  for (const cells of rows)
    print(`  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
}

function print(line: string): void {
  process.stdout.write(`${line.trimEnd()}\n`);
}
