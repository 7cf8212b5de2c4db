// Writes the findings in prove/results/ into docs/reliability.md, between its two markers; the words around them are kept.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '#prove/proof.ts';
import { proofs } from '#prove/proofs.ts';

const page = join(import.meta.dirname, '..', 'docs', 'reliability.md');
const begin = '<!-- figures: written by npm run prove -->';
const end = '<!-- end of figures -->';

interface Result {
  date: string;
  machine: string;
  seconds: number;
  findings: Finding[];
}

export function writeReliabilityPage(): void {
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`${page} has lost its markers`);
  writeFileSync(page, `${text.slice(0, from)}\n\n${sections().join('\n\n')}\n\n${text.slice(to)}`);
}

function sections(): string[] {
  return proofs.flatMap(({ name, title }) => {
    const file = join(import.meta.dirname, 'results', `${name}.json`);
    if (!existsSync(file)) return [];
    const { date, machine, seconds, findings } = JSON.parse(readFileSync(file, 'utf8')) as Result;
    const rows = findings.map(
      ({ what, seen, holds }) => `| ${what} | ${seen} | ${holds ? 'yes' : '**no**'} |`,
    );
    return [
      [
        `### ${title}`,
        '',
        `\`npm run prove -- ${name}\`, ${date}, ${seconds} s on ${machine}.`,
        '',
        '| what | seen | holds |',
        '| --- | --- | --- |',
        ...rows,
      ].join('\n'),
    ];
  });
}
