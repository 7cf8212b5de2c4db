// bench/results.json: the last figures of every benchmark, each with its date and its machine, so that running one of them
// keeps the others'.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '#bench/figures.ts';

const file = join(import.meta.dirname, 'results.json');

export interface Result {
  date: string;
  machine: string;
  seconds: number;
  figures: Figure[];
}

export function readResults(): Record<string, Result> {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Result>) : {};
}

export function keepResult(name: string, result: Result): void {
  const results = { ...readResults(), [name]: result };
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`);
}

export function machineInWords(): string {
  const load = loadavg()[0]?.toFixed(1);
  return (
    `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `Node ${process.version}, load ${load} before`
  );
}

/** Digits that nobody can measure would change with every run. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
