// What the last run of each proof has found: a file for each in lab/figures/proofs/, and a line in lab/figures/proofs.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '#lab/prove/proof.ts';
import { figuresFolder, tableRow, type Ran } from '#lab/report.ts';

export interface Result extends Ran {
  title: string;
  findings: Finding[];
}

const fileOf = (name: string): string => join(figuresFolder, 'proofs', `${name}.json`);

export function writeResult(name: string, result: Result): void {
  writeFileSync(fileOf(name), `${JSON.stringify(result, null, 2)}\n`);
}

/** In the order of `names`; a proof that has not run on the present design has no line. */
export function resultLines(names: readonly string[]): string {
  const rows = names
    .filter((name) => existsSync(fileOf(name)))
    .map((name) => lineOf(name, JSON.parse(readFileSync(fileOf(name), 'utf8')) as Result));
  return [tableRow(['proof', 'result', 'ran']), tableRow(['---', '---', '---']), ...rows].join('\n');
}

export function lineOf(name: string, { title, findings, date, seconds }: Result): string {
  const holding = findings.filter(({ holds }) => holds).length;
  const result =
    holding === findings.length ? `all ${holding} hold` : `${holding} of ${findings.length} hold`;
  return tableRow([`[${title}](proofs/${name}.json)`, result, `${date}, ${seconds} s`]);
}
