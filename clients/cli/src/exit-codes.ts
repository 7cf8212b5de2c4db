// The exit codes of `tt`. docs/client.md has the same table.
import { TintypeError } from '../../library/src/errors.ts';

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

/** A mistake in the call: the message is one line, and points to --help. */
export class UsageError extends Error {}

const byCode: Record<TintypeError['code'], number> = {
  unauthorized: exitCodes.unauthorized,
  quota_exceeded: exitCodes.quotaExceeded,
  not_found: exitCodes.refused,
  method_not_allowed: exitCodes.refused,
  file_too_large: exitCodes.refused,
  batch_too_large: exitCodes.refused,
  unsupported_type: exitCodes.refused,
  validation_error: exitCodes.refused,
  too_many_files: exitCodes.refused,
  rate_limited: exitCodes.limited,
  concurrency_limited: exitCodes.limited,
  internal: exitCodes.unavailable,
  capture_failed: exitCodes.renderFailed,
  render_failed: exitCodes.renderFailed,
  connection_failed: exitCodes.unavailable,
  timeout: exitCodes.unavailable,
  unavailable: exitCodes.unavailable,
  bad_answer: exitCodes.unavailable,
  unreadable_file: exitCodes.usage,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  return error instanceof TintypeError ? exitCodeOfCode(error.code) : exitCodes.unexpected;
}

function exitCodeOfCode(code: TintypeError['code']): number {
  return byCode[code] ?? exitCodes.unexpected;
}

/** For several outcomes: all succeeded, all failed for one reason, or mixed. */
export function exitCodeOfAll(failures: TintypeError['code'][], total: number): number {
  const [first] = failures;
  if (first === undefined) return exitCodes.ok;
  const isOneReason = failures.length === total && new Set(failures.map(exitCodeOfCode)).size === 1;
  return isOneReason ? exitCodeOfCode(first) : exitCodes.partial;
}
