// Turns a missing row, or a change that an account refuses, into an error of the API.
import { invalid, notFound } from '#core/errors.ts';
import { AccountError } from '#accounts/accounts.ts';

/** Returns what was found, or throws `not_found`. */
export function found<T>(value: T | undefined): T {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) throw notFound();
  return value;
}

/** Makes a change; if the account refuses it, the error names `field`. */
export async function asFieldError<T>(field: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof AccountError) throw invalid(field, error.message);
    throw error;
  }
}
