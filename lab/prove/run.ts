// npm run prove [-- NAME ...]: runs proofs in their long form, one after the other, prints the findings and writes
// them into lab/figures/proofs/, with a line for each proof in lab/figures/proofs.md. Exits with 1 if a finding does not hold.
import { proofs } from '#lab/prove/proofs.ts';
import { resultLines, writeResult } from '#lab/prove/results.ts';
import { print, replaceFigures, rewritePage, runNamed } from '#lab/report.ts';

await runNamed(
  proofs,
  async ({ run }) => {
    const findings = await run('long', (line) => print(`  … ${line}`));
    for (const { what, seen, holds } of findings) print(`  ${holds ? '✔' : '✘'} ${what}: ${seen}`);
    if (findings.length === 0 || findings.some(({ holds }) => !holds)) process.exitCode = 1;
    return findings;
  },
  ({ name, title }, findings, ran) => {
    writeResult(name, { title, ...ran, findings });
    const lines = resultLines(proofs.map((proof) => proof.name));
    rewritePage('proofs.md', (page) => replaceFigures(page, lines));
  },
);
