// What every command of `tt` has in common: help, options, output.
import type { ParseArgsOptionsConfig } from 'node:util';
import { TintypeError } from '../../library/src/errors.ts';
import { UsageError } from './exit-codes.ts';

export type Values = Record<string, string | boolean | undefined>;

export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** The whole page of --help. */
  help: string;
  options: ParseArgsOptionsConfig;
  /** Returns the exit code. Aborting the signal ends it. */
  run(call: { values: Values; positionals: string[]; signal: AbortSignal }): Promise<number>;
}

/** Only data goes to stdout. */
export function print(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

/** Messages for people go to stderr. */
export function say(line: string): void {
  process.stderr.write(`tt: ${line}\n`);
}

export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export function describe(error: unknown): string {
  if (!(error instanceof TintypeError)) return error instanceof Error ? error.message : String(error);
  const tried = error.attempts > 1 ? `, tried ${error.attempts} times` : '';
  const request = error.requestId === undefined ? '' : `, request ${error.requestId}`;
  return `${error.message} (${error.code}${tried}${request})`;
}

export function text(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

export function number(values: Values, name: string): number | undefined {
  const value = text(values, name);
  if (value === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(value)) throw new UsageError(`--${name} must be a number, not "${value}"`);
  return Number(value);
}

export function oneOf<T extends string>(values: Values, name: string, choices: readonly T[]): T | undefined {
  const value = text(values, name);
  if (value === undefined) return undefined;
  const choice = choices.find((known) => known === value);
  if (!choice) throw new UsageError(`--${name} must be ${choices.join(', ')}, not "${value}"`);
  return choice;
}
