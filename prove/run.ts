// npm run prove [-- NAME ...]: every proof in its long form, one after the other. The findings go to the terminal, to
// prove/results/NAME.json and from there into docs/reliability.md. Exits with 1 when a finding does not hold.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '#prove/proof.ts';
import { proofs } from '#prove/proofs.ts';
import { writeReliabilityPage } from '#prove/page.ts';

const names = process.argv.slice(2);
const unknown = names.find((name) => !proofs.some((proof) => proof.name === name));
if (unknown !== undefined) {
  process.stderr.write(
    `unknown proof "${unknown}" (there are ${proofs.map(({ name }) => name).join(', ')})\n`,
  );
  process.exit(2);
}

const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
const results = join(import.meta.dirname, 'results');
let allHold = true;
for (const { name, title, run } of proofs) {
  if (names.length > 0 && !names.includes(name)) continue;
  print(`\n▶ ${name}: ${title}`);
  const startedAt = performance.now();
  const findings = await run('long', (line) => print(`  … ${line}`));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  for (const finding of findings) show(finding);
  allHold &&= findings.length > 0 && findings.every(({ holds }) => holds);
  mkdirSync(results, { recursive: true });
  writeFileSync(
    join(results, `${name}.json`),
    `${JSON.stringify({ date: new Date().toISOString().slice(0, 10), machine, seconds, findings }, null, 2)}\n`,
  );
}
writeReliabilityPage();
process.exitCode = allHold ? 0 : 1;

function show({ what, seen, holds }: Finding): void {
  print(`  ${holds ? '✔' : '✘'} ${what}: ${seen}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
