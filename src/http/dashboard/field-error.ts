// Mistakes in what somebody asked to change about an account, as the API's validation errors.
import { invalid } from '#core/errors.ts';
import { AccountError } from '#accounts/accounts.ts';

/** Runs the change; what the account cannot have is a mistake in `field`. */
export async function asFieldError<T>(field: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof AccountError) throw invalid(field, error.message);
    throw error;
  }
}
