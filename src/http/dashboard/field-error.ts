// Turns invalid changes to an account into the API's validation errors.
import { invalid } from '#core/errors.ts';
import { AccountError } from '#accounts/accounts.ts';

/** Runs the change; a change that the account cannot have becomes an error in `field`. */
export async function asFieldError<T>(field: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof AccountError) throw invalid(field, error.message);
    throw error;
  }
}
