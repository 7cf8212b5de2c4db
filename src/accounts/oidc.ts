// Sign-in with an OpenID Connect provider, through better-auth's generic provider. A person is who the issuer says, by its own address
// and the subject: an e-mail address never decides who a person is. A link to a person is made only while that person is signed in.
import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { APIError } from 'better-auth/api';
import { inTime } from '#core/clock.ts';
import { invalid } from '#core/errors.ts';
import { AccountError, type Account } from '#accounts/accounts.ts';
import { headersOf, withCookies, type Client } from '#accounts/auth-calls.ts';
import type { MailedLinks } from '#accounts/mailed-links.ts';
import { openProvider, type ProviderSettings } from '#accounts/oidc-provider.ts';
import type { Signups } from '#accounts/installation.ts';
import type { Person, WithCookies } from '#accounts/sessions.ts';
import type { SignInParts } from '#accounts/sign-in-parts.ts';

export interface OidcSettings extends ProviderSettings {
  /** How people know the provider. */
  name: string;
  /** Undefined: as for everyone else. */
  signups: Signups | undefined;
}

/** Why it did not work, for the page that says so. */
const oidcProblems = [
  'address_taken',
  'signups_closed',
  'no_address',
  'linked_elsewhere',
  'not_signed_in',
  'refused',
  'expired',
  'unavailable',
  'failed',
] as const;
type OidcProblem = (typeof oidcProblems)[number];

/** The codes of better-auth and of the provider. */
const problems: Record<string, OidcProblem> = {
  account_not_linked: 'address_taken',
  account_already_linked_to_different_user: 'linked_elsewhere',
  access_denied: 'refused',
  state_mismatch: 'expired',
  state_not_found: 'expired',
  state_invalid: 'expired',
  invalid_code: 'expired',
};

/** What one return from the provider may do. */
interface Attempt {
  /** The person who is signed in, and may link. */
  personId: string | undefined;
  /** The account that it made. */
  made?: Account;
  /** Nobody waits for it any more. */
  isOver?: true;
}

const answerMs = 20_000;
const pages = { signIn: '/dashboard/sign-in', settings: '/dashboard/settings' };
const callbackPath = '/api/dashboard/oidc/callback';

export function createOidc(
  parts: SignInParts & {
    settings: OidcSettings;
    secret: string;
    links: Pick<MailedLinks, 'sendVerification'>;
  },
) {
  const { settings, accounts, installation, links, clock, log } = parts;
  const attempts = new AsyncLocalStorage<Attempt>();
  /** With the issuer in it: the same subject at another issuer is another person. */
  const providerId = `oidc-${hash('sha256', settings.issuer).slice(0, 24)}`;

  function currentAttempt(): Attempt {
    const attempt = attempts.getStore();
    if (!attempt || attempt.isOver) throw refusal('failed');
    return attempt;
  }

  /** The account of a person who signs in for the first time. An account that exists is never given to them. */
  async function makeAccount({ email, emailVerified }: { email: string; emailVerified: boolean }) {
    const attempt = currentAttempt();
    if (email === '') throw refusal('no_address');
    const signups = settings.signups ?? (await installation.read()).signups;
    if (signups === 'closed') throw refusal('signups_closed');
    attempt.made = await accounts.create(email, { verified: emailVerified }).catch((error: unknown) => {
      throw error instanceof AccountError ? refusal('address_taken') : error;
    });
    return attempt.made;
  }

  /** The only place that decides which person a subject is linked to. */
  function checkLink(personId: string): void {
    const attempt = currentAttempt();
    if (personId !== attempt.made?.id && personId !== attempt.personId) throw refusal('not_signed_in');
  }

  const provider = openProvider({
    ...parts,
    providerId,
    redirectUrl: parts.baseUrl + callbackPath,
    makeAccount,
    checkLink,
  });

  /** The address of the provider, or of our page that says that it does not answer. */
  async function start(
    page: string,
    begin: (auth: Awaited<ReturnType<typeof provider.open>>) => Promise<{
      headers: Headers;
      response: { url?: string | undefined };
    }>,
  ): Promise<WithCookies<string>> {
    const auth = await provider.open().catch((error: unknown) => {
      log.warn({ err: error }, 'the provider of OIDC_ISSUER cannot be used');
      return undefined;
    });
    if (!auth) return { cookies: [], value: withProblem(page, 'unavailable') };
    const { headers, response } = await begin(auth);
    return { cookies: headers.getSetCookie(), value: response.url ?? withProblem(page, 'failed') };
  }

  async function callBack(query: Record<string, unknown>, client: Client): Promise<Response> {
    const auth = await provider.open();
    return auth.api.callbackOAuth({
      method: 'GET',
      params: { id: providerId },
      query,
      headers: headersOf(client),
      asResponse: true,
    });
  }

  async function linkOf(personId: string) {
    const { internalAdapter } = await parts.auth.$context;
    const all = await internalAdapter.findAccounts(personId);
    return all.find((credential) => credential.providerId === providerId);
  }

  return {
    name: settings.name,

    /** `next` is a path in the dashboard. */
    startSignIn: (next: string, client: Client): Promise<WithCookies<string>> =>
      start(pages.signIn, (auth) =>
        auth.api.signInSocial({
          body: {
            provider: providerId,
            callbackURL: `/dashboard${next}`,
            errorCallbackURL: `${pages.signIn}?next=${encodeURIComponent(next)}`,
            disableRedirect: true,
          },
          ...withCookies({ ...client, cookie: undefined }),
        }),
      ),

    startLink: (client: Client): Promise<WithCookies<string>> =>
      start(pages.settings, (auth) =>
        auth.api.linkSocialAccount({
          body: {
            provider: providerId,
            callbackURL: `${pages.settings}?oidc=linked`,
            errorCallbackURL: pages.settings,
            disableRedirect: true,
          },
          ...withCookies(client),
        }),
      ),

    /** The browser is back from the provider. Returns the path of the page to show. */
    async finish(
      query: Record<string, unknown>,
      client: Client,
      person: Person | undefined,
    ): Promise<WithCookies<string>> {
      const mayLink = person?.account.verified === 1 && person.account.suspended === 0;
      const attempt: Attempt = { personId: mayLink ? person.account.id : undefined };
      try {
        const response = await inTime(
          clock,
          answerMs,
          attempts.run(attempt, () => callBack(query, client)),
        );
        const cookies = response.headers.getSetCookie();
        const value = await outcomeOf(response, parts.baseUrl);
        const { made } = attempt;
        if (made && !value.isSuccess) await accounts.discardUnused(made.id);
        else if (made && !made.verified) await links.sendVerification(made);
        return { cookies, value: value.path };
      } catch (error) {
        attempt.isOver = true;
        log.warn({ err: error }, 'a sign-in with the provider of OIDC_ISSUER failed');
        if (attempt.made) await accounts.discardUnused(attempt.made.id);
        return { cookies: [], value: withProblem(pages.signIn, 'unavailable') };
      }
    },

    isLinked: async (personId: string): Promise<boolean> => (await linkOf(personId)) !== undefined,

    async unlink({ account, hasPassword }: Person): Promise<void> {
      if (!hasPassword)
        throw invalid('current_password', 'is not set yet; set a password first, or you could not sign in');
      const link = await linkOf(account.id);
      const { internalAdapter } = await parts.auth.$context;
      if (link) await internalAdapter.deleteAccount(link.id);
    },
  };
}

const refusal = (code: OidcProblem): APIError => new APIError('UNAUTHORIZED', { code, message: code });

const withProblem = (path: string, problem: OidcProblem): string =>
  `${path}${path.includes('?') ? '&' : '?'}oidc=${problem}`;

/** better-auth answers with a redirect to the page that the state names, with an `error` if there was one. */
async function outcomeOf(response: Response, baseUrl: string): Promise<{ isSuccess: boolean; path: string }> {
  const given = response.headers.get('location');
  const location = given === null ? null : URL.parse(given, baseUrl);
  const { code } = (location ? {} : await response.json().catch(() => ({}))) as { code?: string };
  const error = location ? location.searchParams.get('error') : (code ?? 'failed');
  const isOurs = location?.origin === baseUrl && location.pathname.startsWith('/dashboard');
  for (const name of ['error', 'error_description']) location?.searchParams.delete(name);
  const path = isOurs ? location.pathname + location.search : pages.signIn;
  if (error === null && isOurs) return { isSuccess: true, path };
  const known = oidcProblems.find((problem) => problem === error);
  return { isSuccess: false, path: withProblem(path, known ?? problems[error ?? ''] ?? 'failed') };
}
