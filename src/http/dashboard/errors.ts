// Turns what a change or a look-up gave into the API's errors.
import { invalid, notFound } from '#core/errors.ts';
import { AccountError } from '#accounts/accounts.ts';

/** What a look-up found; if it found nothing, a 404. */
export function found<T>(value: T | undefined): T {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) throw notFound();
  return value;
}

/** Runs the change; a change that the account cannot have becomes an error in `field`. */
export async function asFieldError<T>(field: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof AccountError) throw invalid(field, error.message);
    throw error;
  }
}
