// What `tt` and the MCP server write for people and programs.
import { TintypeError } from '../../library/src/errors.ts';

/** A mistake in the call: the message is one line, and `tt` points to --help. */
export class UsageError extends Error {}

/** Only data goes to stdout. */
export function print(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

let program = 'tt';

/** The name before each message, if it is not `tt`. */
export function nameProgram(name: string): void {
  program = name;
}

/** Messages for people go to stderr. */
export function say(line: string): void {
  process.stderr.write(`${program}: ${line}\n`);
}

let quiet = false;

/** From now on there are errors only: no remarks, no progress. */
export function beQuiet(): void {
  quiet = true;
}
export const isQuiet = (): boolean => quiet;

/** A message that is no error. */
export function remark(line: string): void {
  if (!quiet) say(line);
}

export function describe(error: unknown): string {
  if (!(error instanceof TintypeError)) return error instanceof Error ? error.message : String(error);
  const tried = error.attempts > 1 ? `, tried ${error.attempts} times` : '';
  const request = error.requestId === undefined ? '' : `, request ${error.requestId}`;
  return `${error.message} (${error.code}${tried}${request})`;
}
