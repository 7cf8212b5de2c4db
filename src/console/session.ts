// Sign-in, sign-up, links and sign-out.
import type { FastifyReply } from 'fastify';
import type { Client } from '#accounts/auth-calls.ts';
import type { Plans } from '#accounts/plans.ts';
import type { Person, WithCookies } from '#accounts/sessions.ts';
import { attemptsPerMinute } from '#console/contract.ts';
import { lineOf, setCookies, type DashboardParts, type Handlers } from '#console/serve.ts';
import { isoTime } from '#api/common-views.ts';
import { passkeyView } from '#console/views.ts';
import { addressSubject } from '#http/guards.ts';

export function sessionHandlers({ settings, guards, accounts }: DashboardParts) {
  const { plans, signIn, installation } = accounts;
  const enter = (reply: FastifyReply, { cookies, value }: WithCookies<Person>): SignedIn => {
    setCookies(reply, cookies);
    return signedInView(value, plans);
  };
  /**
   * Slows down guessing one person's password, from one client address and from many. The second limit does not apply to
   * addresses where the person has a session, so that a stranger's guesses do not lock them out; those persons are returned.
   */
  const spendAttempt = async (reply: FastifyReply, purpose: string, email: string, client: Client) => {
    const person = email.trim().toLowerCase();
    const isKnown = await signIn.isKnownAt(person, client.address);
    if (!isKnown) guards.spend(reply, `${purpose} ${person}`, attemptsPerMinute.emailEverywhere);
    guards.spend(reply, `${purpose} ${addressSubject(client.address)} ${person}`, attemptsPerMinute.email);
    return isKnown ? person : undefined;
  };

  return {
    async 'GET /instance'() {
      const { signups, operatorContact } = await installation.read();
      return {
        base_url: settings.baseUrl,
        signups,
        sends_mail: signIn.delivery === 'sent',
        operator_contact: operatorContact,
        /** The name of the provider that people can sign in with. */
        sign_in_provider: signIn.provider?.name ?? null,
      };
    },
    async 'POST /sign-in'({ reply, client, body: { email, password } }) {
      const known = await spendAttempt(reply, 'sign-in', email, client);
      const { cookies, value } = await signIn.inLineOf(lineOf(client.address, known), () =>
        signIn.signIn(email, password, client),
      );
      setCookies(reply, cookies);
      return { signed_in: value === undefined ? null : signedInView(value, plans) };
    },
    'POST /sign-in/code': async ({ reply, client, body }) =>
      enter(reply, await signIn.signInByCode(body.code, client)),
    async 'POST /sign-in/passkey/start'({ reply, client }) {
      const { cookies, value } = await signIn.startPasskeySignIn(client);
      setCookies(reply, cookies);
      return { options: value };
    },
    'POST /sign-in/passkey': async ({ reply, client, body }) =>
      enter(reply, await signIn.signInByPasskey(body.response, client)),
    'POST /sign-up': async ({ reply, client, body: { name, email, password } }) =>
      enter(reply, await signIn.signUp(name, email, password, client)),
    'POST /welcome': async ({ reply, client, body }) =>
      enter(reply, await signIn.welcome(body.token, client)),
    async 'POST /forgot-password'({ reply, client, body: { email } }) {
      await spendAttempt(reply, 'forgotten', email, client);
      signIn.forgotPassword(email);
      return { mail: signIn.delivery };
    },
    'POST /reset-password/check': async ({ body }) => ({ works: await signIn.isResetLink(body.token) }),
    async 'POST /reset-password'({ body }) {
      const { codes, provider, passkeys, keys } = await signIn.resetPassword(body.token, body.new_password);
      return {
        codes,
        /** Whether signing in with the provider still works. */
        provider,
        passkeys: passkeys.map(passkeyView),
        keys: keys.map(({ name, display, created_at }) => ({
          name,
          display,
          created_at: isoTime(created_at),
        })),
      };
    },
    async 'GET /session'({ reply, client }) {
      const session = await signIn.whoIs(client);
      return { signed_in: session ? enter(reply, session) : null };
    },
    async 'POST /sign-out'({ reply, client }) {
      setCookies(reply, await signIn.signOut(client));
      return { done: true };
    },
  } satisfies Partial<Handlers>;
}

export type SignedIn = ReturnType<typeof signedInView>;

export function signedInView({ account, name, hasPassword, sessionExpiresAt }: Person, plans: Plans) {
  return {
    id: account.id,
    email: account.email,
    name,
    /** False until the mailed link was followed: API keys get 401 and nothing can be stored. */
    verified: account.verified === 1,
    /** If true, only this, signing out and the export still work; the reason is shown to the person. */
    suspended: account.suspended === 1,
    suspended_reason: account.suspended_reason,
    /** Gives access to the admin pages. */
    owner: account.owner === 1,
    /** False after the first sign-in by a one-time link: the page then asks for a new password. */
    has_password: hasPassword,
    plan: plans.of(account),
    created_at: isoTime(account.created_at),
    session_expires_at: sessionExpiresAt.toISOString(),
  };
}
