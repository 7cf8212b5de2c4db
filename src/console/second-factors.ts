// Codes from an authenticator app, recovery codes and passkeys, in the settings. Every change requires the password.
import { invalid, notFound } from '#core/errors.ts';
import type { Client } from '#accounts/auth-calls.ts';
import type { Person } from '#accounts/sessions.ts';
import { setCookies, type DashboardParts, type Handlers } from '#console/serve.ts';
import { passkeyView } from '#console/views.ts';

export function secondFactorsHandlers({ accounts: { signIn } }: DashboardParts) {
  function requirePassword({ hasPassword }: Person): void {
    if (!hasPassword) throw invalid('current_password', 'is not set yet; set a password first');
  }
  async function checkPassword(password: string, person: Person, client: Client): Promise<void> {
    requirePassword(person);
    await signIn.checkPassword(password, person, client);
  }

  return {
    async 'GET /second-factors'({ person, client }) {
      const passkeys = await signIn.listPasskeys(client);
      const { provider } = signIn;
      return {
        codes: person.hasCodes,
        passkeys: passkeys.map(passkeyView),
        /** Null if people cannot sign in with one. */
        provider: provider
          ? { name: provider.name, linked: await provider.isLinked(person.account.id) }
          : null,
      };
    },
    async 'POST /codes/start'({ person, client, body }) {
      requirePassword(person);
      const { uri, recoveryCodes } = await signIn.startCodes(body.current_password, client);
      return { uri, recovery_codes: recoveryCodes };
    },
    async 'POST /codes/confirm'({ reply, client, body }) {
      setCookies(reply, (await signIn.confirmCodes(body.code, client)).cookies);
      return { done: true };
    },
    async 'POST /codes/recovery'({ client, body }) {
      return { recovery_codes: await signIn.newRecoveryCodes(body.current_password, client) };
    },
    async 'POST /codes/stop'({ reply, client, body }) {
      setCookies(reply, (await signIn.stopCodes(body.current_password, client)).cookies);
      return { done: true };
    },
    async 'POST /passkeys/start'({ reply, person, client, body }) {
      await checkPassword(body.current_password, person, client);
      const { cookies, value } = await signIn.startPasskey(client);
      setCookies(reply, cookies);
      return { options: value };
    },
    async 'POST /passkeys'({ client, body }) {
      await signIn.addPasskey(body.name, body.response, client);
      return { done: true };
    },
    async 'DELETE /passkeys/:id'({ id, person, client, body }) {
      await checkPassword(body.current_password, person, client);
      if (!(await signIn.removePasskey(id, client))) throw notFound();
      return { done: true };
    },
  } satisfies Partial<Handlers>;
}
