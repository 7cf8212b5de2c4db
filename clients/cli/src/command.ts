// What every command of `tt` has in common: help, options, input.
import type { ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from '../../shared/src/terminal.ts';

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** The whole page of --help. */
  help: string;
  options: ParseArgsOptionsConfig;
  /** What an option can be, for the completion of a shell; under '' what the first argument can be. */
  choices?: Record<string, readonly string[]>;
  /** Returns the exit code. */
  run(call: Call): Promise<number>;
}

export interface Call {
  values: Values;
  positionals: string[];
  /** Aborting it ends the command. */
  signal: AbortSignal;
}

export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export function text(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** Of an option that may be given several times. */
export function texts(values: Values, name: string): string[] {
  const given = values[name];
  return Array.isArray(given) ? given.filter((value) => typeof value === 'string') : [];
}

export function number(values: Values, name: string): number | undefined {
  const value = text(values, name);
  if (value === undefined) return undefined;
  if (!/^-?\d+(\.\d+)?$/.test(value)) throw new UsageError(`--${name} must be a number, not "${value}"`);
  return Number(value);
}
