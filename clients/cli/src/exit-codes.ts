// The exit codes of `tt`. docs/tools/tt.md has the same table.
import {
  AuthenticationError,
  QuotaExceededError,
  RateLimitError,
  RenderError,
  RequestError,
  TintypeError,
  UnavailableError,
} from '../../library/src/errors.ts';
import { UsageError } from '../../shared/src/terminal.ts';

export const exitCodes = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  unauthorized: 3,
  refused: 4,
  quotaExceeded: 5,
  limited: 6,
  renderFailed: 7,
  unavailable: 8,
  partial: 9,
  interrupted: 130,
} as const;

const byClass: [kind: { codes: readonly TintypeError['code'][] }, exitCode: number][] = [
  [AuthenticationError, exitCodes.unauthorized],
  [QuotaExceededError, exitCodes.quotaExceeded],
  [RequestError, exitCodes.refused],
  [RateLimitError, exitCodes.limited],
  [RenderError, exitCodes.renderFailed],
  [UnavailableError, exitCodes.unavailable],
];

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  return error instanceof TintypeError ? exitCodeOfCode(error.code) : exitCodes.unexpected;
}

function exitCodeOfCode(code: TintypeError['code']): number {
  if (code === 'unreadable_file') return exitCodes.usage;
  return byClass.find(([{ codes }]) => codes.includes(code))?.[1] ?? exitCodes.unexpected;
}

/** For several outcomes: all succeeded, all failed for one reason, or mixed. */
export function exitCodeOfAll(failures: TintypeError['code'][], total: number): number {
  const [first] = failures;
  if (first === undefined) return exitCodes.ok;
  const isOneReason = failures.length === total && new Set(failures.map(exitCodeOfCode)).size === 1;
  return isOneReason ? exitCodeOfCode(first) : exitCodes.partial;
}
