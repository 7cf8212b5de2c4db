// npm run bench [-- screenshot fleet]: each figure is a ratio of two things measured alternately in the same run.
import { cpus, totalmem } from 'node:os';
import { benchFleet } from '#bench/fleet.ts';
import { benchScreenshots } from '#bench/screenshot.ts';

const benchmarks: Record<string, () => Promise<void>> = {
  screenshot: benchScreenshots,
  fleet: benchFleet,
};

const names = process.argv.slice(2);
const unknown = names.find((name) => !(name in benchmarks));
if (unknown !== undefined) {
  process.stderr.write(`unknown benchmark "${unknown}" (there are ${Object.keys(benchmarks).join(', ')})\n`);
  process.exit(2);
}
process.stdout.write(
  `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}\n\n`,
);
for (const name of names.length > 0 ? names : Object.keys(benchmarks)) await benchmarks[name]?.();
