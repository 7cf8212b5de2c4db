// Calling better-auth: what it is told about a request, and its errors in the API's words.
import { APIError } from 'better-auth/api';
import { invalid, ServiceError } from '#core/errors.ts';
import { AccountError } from '#accounts/accounts.ts';
import { addressHeader } from '#accounts/auth.ts';

/** What a request says about who sends it. */
export interface Client {
  cookie: string | undefined;
  address: string;
  userAgent: string | undefined;
}

export function headersOf({ cookie, address, userAgent }: Client): Headers {
  return new Headers({
    [addressHeader]: address,
    ...(cookie !== undefined && { cookie }),
    ...(userAgent !== undefined && { 'user-agent': userAgent.slice(0, 300) }),
  });
}

const explanations: Record<string, () => ServiceError> = {
  INVALID_EMAIL: () => invalid('email', 'is not an e-mail address with a full domain'),
  INVALID_EMAIL_OR_PASSWORD: () =>
    new ServiceError('unauthorized', 'This address and this password do not belong together.'),
  INVALID_PASSWORD: () => invalid('current_password', 'is not right'),
  PASSWORD_TOO_SHORT: () => invalid('new_password', 'is too short'),
  PASSWORD_TOO_LONG: () => invalid('new_password', 'is too long'),
  USER_ALREADY_EXISTS: () => invalid('email', 'there is already an account with this address'),
};
const deadLink = () => invalid('token', 'this link has expired or was used before; ask for a new one');

/**
 * Turns what better-auth throws into the API's errors. A redirect is how its link routes say that a link is dead; it is of
 * another class than their other errors, and known by its status.
 */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AccountError) throw invalid('email', error.message);
    if ((error as { statusCode?: unknown }).statusCode === 302) throw deadLink();
    if (!(error instanceof APIError)) throw error;
    const code = error.body?.code ?? '';
    if (/TOKEN|USER_NOT_FOUND|INVALID_USER/.test(code)) throw deadLink();
    throw explanations[code]?.() ?? error;
  }
}
