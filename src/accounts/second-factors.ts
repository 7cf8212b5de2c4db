// What a person may need in addition to the password, or instead of it: codes from an authenticator app with recovery codes, and
// passkeys. A passkey verifies the user itself, so it replaces both.
import { invalid, ServiceError } from '#core/errors.ts';
import type { Auth } from '#accounts/auth.ts';
import { explained, headersOf, withCookies, type Client } from '#accounts/auth-calls.ts';
import type { Person, Sessions, WithCookies } from '#accounts/sessions.ts';

/** What the browser's `navigator.credentials` takes and returns, as JSON. */
export type CredentialJson = Record<string, unknown>;

const maxPasskeys = 20;

export function createSecondFactors({ auth, sessions }: { auth: Auth; sessions: Sessions }) {
  const { api } = auth;

  const listPasskeys = (client: Client) => api.listPasskeys({ headers: headersOf(client) });

  return {
    /** The step after the password: a code from the app, or a recovery code, which works once. */
    signInByCode(code: string, client: Client): Promise<WithCookies<Person>> {
      const given = code.replaceAll(/[\s-]/g, '');
      const recoveryCode = `${given.slice(0, 5)}-${given.slice(5)}`;
      return sessions.signedInBy(client, (options) =>
        /^\d{6}$/.test(given)
          ? api.verifyTOTP({ body: { code: given }, ...options })
          : api.verifyBackupCode({ body: { code: recoveryCode }, ...options }),
      );
    },

    /** Not yet on: a first code must show that the app has the secret. */
    startCodes: (password: string, client: Client) =>
      explained(async () => {
        const answer = await api.enableTwoFactor({ body: { password }, headers: headersOf(client) });
        if (answer.method !== 'totp') throw new Error('expected a TOTP secret');
        return { uri: answer.totpURI, recoveryCodes: answer.backupCodes };
      }),
    confirmCodes: (code: string, client: Client) =>
      sessions.signedInBy(client, (options) =>
        api.verifyTOTP({ body: { code: code.replaceAll(/\s/g, '') }, ...options }),
      ),
    newRecoveryCodes: (password: string, client: Client) =>
      explained(async () => {
        const { backupCodes } = await api.generateBackupCodes({
          body: { password },
          headers: headersOf(client),
        });
        return backupCodes;
      }),
    stopCodes: (password: string, client: Client) =>
      sessions.signedInBy(client, (options) => api.disableTwoFactor({ body: { password }, ...options })),

    listPasskeys,
    startPasskey: (client: Client) =>
      explained(async (): Promise<WithCookies<CredentialJson>> => {
        if ((await listPasskeys(client)).length >= maxPasskeys)
          throw invalid('name', `there are ${maxPasskeys} passkeys already; remove one first`);
        const { headers, response } = await api.generatePasskeyRegistrationOptions(withCookies(client));
        return { cookies: headers.getSetCookie(), value: { ...response } };
      }),
    addPasskey: (name: string, response: CredentialJson, client: Client) =>
      explained(() =>
        api.verifyPasskeyRegistration({ body: { name, response }, headers: headersOf(client) }),
      ),
    /** False when the passkey does not belong to this person. */
    async removePasskey(id: string, client: Client): Promise<boolean> {
      const isOwn = (await listPasskeys(client)).some((passkey) => passkey.id === id);
      if (isOwn) await api.deletePasskey({ body: { id }, headers: headersOf(client) });
      return isOwn;
    },

    startPasskeySignIn: async (client: Client): Promise<WithCookies<CredentialJson>> => {
      const { headers, response } = await api.generatePasskeyAuthenticationOptions(
        withCookies({ ...client, cookie: undefined }),
      );
      return { cookies: headers.getSetCookie(), value: { ...response, userVerification: 'required' } };
    },
    async signInByPasskey(response: CredentialJson, client: Client): Promise<WithCookies<Person>> {
      if (typeof response['id'] !== 'string') throw new ServiceError('unauthorized', 'No passkey was sent.');
      return sessions.signedInBy(client, (options) =>
        // Untrusted input; the verification checks whether it matches the type.
        api.verifyPasskeyAuthentication({ body: { response: response as never }, ...options }),
      );
    },
  };
}
