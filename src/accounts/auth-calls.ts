// Calls better-auth: passes it the details of a request, and translates its errors into the API's.
import { APIError } from 'better-auth/api';
import { invalid, ServiceError } from '#core/errors.ts';
import { AccountError } from '#accounts/accounts.ts';
import { addressHeader } from '#accounts/auth.ts';

/** The parts of a request that identify its sender. */
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

/** For calls whose answer sets cookies. */
export const withCookies = (client: Client) => ({
  headers: headersOf(client),
  returnHeaders: true as const,
});

export const wrongPassword = () =>
  new ServiceError('unauthorized', 'The e-mail address or the password is wrong.');

const explanations: Record<string, () => ServiceError> = {
  INVALID_EMAIL: () => invalid('email', 'is not an e-mail address with a full domain'),
  INVALID_EMAIL_OR_PASSWORD: wrongPassword,
  INVALID_PASSWORD: () => invalid('current_password', 'is not right'),
  PASSWORD_TOO_SHORT: () => invalid('new_password', 'is too short'),
  PASSWORD_TOO_LONG: () => invalid('new_password', 'is too long'),
  INVALID_CODE: () => invalid('code', 'is not right; codes change every 30 seconds'),
  INVALID_BACKUP_CODE: () => invalid('code', 'is neither a code of your app nor an unused recovery code'),
  INVALID_TWO_FACTOR_COOKIE: () =>
    new ServiceError('unauthorized', 'This took too long. Sign in with your password again.'),
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: () =>
    new ServiceError('unauthorized', 'Too many wrong codes. Sign in with your password again.'),
  ACCOUNT_TEMPORARILY_LOCKED: () =>
    new ServiceError('rate_limited', 'Too many wrong codes. Try again in 15 minutes.', {
      retryAfterSeconds: 15 * 60,
    }),
  TOTP_ALREADY_ENABLED: () => invalid('code', 'codes are already on'),
  TOTP_NOT_ENABLED: () => invalid('code', 'codes are not on'),
  TWO_FACTOR_NOT_ENABLED: () => invalid('code', 'codes are not on'),
  CHALLENGE_NOT_FOUND: () => invalid('response', 'this took too long; try again'),
  PASSKEY_NOT_FOUND: () =>
    new ServiceError('unauthorized', 'This passkey does not belong to an account here.'),
  AUTHENTICATION_FAILED: () => new ServiceError('unauthorized', 'This passkey was not accepted.'),
  FAILED_TO_VERIFY_REGISTRATION: () => invalid('response', 'this passkey was not accepted'),
  PREVIOUSLY_REGISTERED: () => invalid('response', 'this passkey is already registered'),
  USER_ALREADY_EXISTS: () => invalid('email', 'there is already an account with this address'),
};
export const deadLink = () => invalid('token', 'this link has expired or was used before; ask for a new one');

/** Turns what better-auth throws into the API's errors. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AccountError) throw invalid('email', error.message);
    if (!(error instanceof APIError)) throw error;
    throw explanations[error.body?.code ?? '']?.() ?? error;
  }
}
