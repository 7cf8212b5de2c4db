// npm run prove [-- NAME ...]: runs proofs in their long form, one after the other, prints the findings and writes
// them into lab/figures/proofs.md. Exits with 1 if a finding does not hold.
import { proofs } from '#lab/prove/proofs.ts';
import { print, runSections, tableRow } from '#lab/report.ts';

await runSections(
  'prove',
  'proofs.md',
  proofs.map(({ name, title, run }) => ({
    name,
    title,
    run: async () => {
      const findings = await run('long', (line) => print(`  … ${line}`));
      for (const { what, seen, holds } of findings) print(`  ${holds ? '✔' : '✘'} ${what}: ${seen}`);
      if (findings.length === 0 || findings.some(({ holds }) => !holds)) process.exitCode = 1;
      return [
        tableRow(['what', 'seen', 'holds']),
        tableRow(['---', '---', '---']),
        ...findings.map(({ what, seen, holds }) => tableRow([what, seen, holds ? 'yes' : '**no**'])),
      ];
    },
  })),
);
