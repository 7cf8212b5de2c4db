// better-auth with the operator's OpenID Connect provider. It is made at the first sign-in with it, so that the service starts
// without the provider, and again after a failure.
import { betterAuth } from 'better-auth';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { waysOut } from '#wall/ways-out.ts';
import { commonOptions, type AuthParts } from '#accounts/auth.ts';

export interface ProviderSettings {
  /** As the provider names itself. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

interface Parts extends Omit<AuthParts, 'hashing'> {
  settings: ProviderSettings;
  providerId: string;
  /** Where the provider sends people back to. */
  redirectUrl: string;
  /** Called for a subject that nobody is linked to; throws if they get no account. The address is empty if there is none. */
  makeAccount: (person: { email: string; emailVerified: boolean }) => Promise<{ id: string; email: string }>;
  /** Throws if the subject may not be linked to this person. */
  checkLink: (personId: string) => void;
}

interface Discovered {
  issuer?: unknown;
  userinfo_endpoint?: unknown;
  token_endpoint_auth_methods_supported?: unknown;
}

interface Claims {
  sub?: unknown;
  email?: unknown;
  email_verified?: unknown;
  name?: unknown;
}

const requestMs = waysOut.signIn.limits.exchangeMs;
/** Stands for none, because better-auth needs one. It is never stored. */
const noAddress = 'nobody@invalid';
/** The service needs no token after the sign-in, so none is stored. */
const noTokens = {
  accessToken: null,
  refreshToken: null,
  idToken: null,
  accessTokenExpiresAt: null,
  refreshTokenExpiresAt: null,
};

export function openProvider(parts: Parts) {
  let opened: Promise<ReturnType<typeof createInstance>> | undefined;

  async function connect() {
    const signal = AbortSignal.timeout(requestMs);
    const document = await discover(parts.settings.issuer, signal);
    const auth = createInstance(parts, document);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    const { socialProviders } = await Promise.race([auth.$context, late]);
    if (!socialProviders.some(({ id }) => id === parts.providerId))
      throw new Error('its configuration has no endpoints, or no keys that sign');
    return auth;
  }

  return {
    /** Those who ask at once wait for the same attempt; a failure is not remembered. */
    open(): Promise<ReturnType<typeof createInstance>> {
      opened ??= connect().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
  };
}

const discoveryUrl = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

async function discover(issuer: string, signal: AbortSignal): Promise<Discovered> {
  const response = await fetch(discoveryUrl(issuer), { signal });
  if (!response.ok) throw new Error(`${discoveryUrl(issuer)} answered ${response.status}`);
  const document = (await response.json()) as Discovered;
  if (document.issuer !== issuer)
    throw new Error(`it calls itself ${JSON.stringify(document.issuer)}; set OIDC_ISSUER to exactly that`);
  return document;
}

function createInstance(parts: Parts, document: Discovered) {
  const { settings, providerId, redirectUrl, makeAccount, checkLink } = parts;
  const { clientId, clientSecret, issuer } = settings;
  const common = commonOptions(parts);
  const methods = document.token_endpoint_auth_methods_supported;
  // Without a list it is this one. OpenID Connect Discovery 3.
  const isBasic = !Array.isArray(methods) || methods.includes('client_secret_basic');
  return betterAuth({
    ...common,
    account: {
      ...common.account,
      updateAccountOnSignIn: false,
      accountLinking: {
        enabled: true,
        disableImplicitLinking: true,
        allowDifferentEmails: true,
        trustedProviders: [providerId],
      },
    },
    databaseHooks: {
      user: {
        create: {
          async before({ email, emailVerified, name, ...person }) {
            const account = await makeAccount({ email: email === noAddress ? '' : email, emailVerified });
            const named = name.trim().slice(0, 80) || (account.email.split('@')[0] ?? '');
            return {
              data: { ...person, id: account.id, email: account.email, emailVerified, name: named },
            };
          },
        },
      },
      account: {
        create: {
          async before(credential) {
            checkLink(credential.userId);
            return { data: { ...credential, ...noTokens } };
          },
        },
        update: { before: async (change) => ({ data: { ...change, ...noTokens } }) },
      },
    },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId,
            clientId,
            clientSecret,
            discoveryUrl: discoveryUrl(issuer),
            redirectURI: redirectUrl,
            scopes: ['openid', 'email', 'profile'],
            authentication: isBasic ? 'basic' : 'post',
            requireIdTokenVerification: true,
            disableProviderLogout: true,
            getUserInfo: async ({ idToken, accessToken }) =>
              profileOf(await claimsOf(document, idToken, accessToken)),
          },
        ],
      }),
    ],
  });
}

/** The claims of the ID token, whose signature, issuer, audience and nonce are checked before; the rest may be at another address. */
async function claimsOf(
  { userinfo_endpoint: address }: Discovered,
  idToken: string | undefined,
  accessToken: string | undefined,
): Promise<Claims | null> {
  const [, payload = ''] = idToken?.split('.') ?? [];
  if (payload === '') return null;
  const signed = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  if (signed.email !== undefined || typeof address !== 'string' || accessToken === undefined) return signed;
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${accessToken}` },
    redirect: 'error',
    signal: AbortSignal.timeout(requestMs),
  });
  const more = response.ok ? ((await response.json()) as Claims) : {};
  // OpenID Connect Core 5.3.2: otherwise it is about another person.
  return more.sub === signed.sub ? { ...more, ...signed } : signed;
}

function profileOf(claims: Claims | null) {
  if (typeof claims?.sub !== 'string' || claims.sub === '') return null;
  const { sub, email, email_verified: verified, name } = claims;
  return {
    id: sub,
    sub,
    email: typeof email === 'string' && email !== '' ? email : noAddress,
    emailVerified: verified === true || verified === 'true',
    name: typeof name === 'string' ? name : '',
  };
}
