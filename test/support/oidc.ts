// A real OpenID Connect provider on loopback. It lets in whom the test names, without asking; everything else is as the protocol says.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider, type Context } from 'oidc-provider';
import { freePort } from '#test/support/processes.ts';

export interface Claims {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface OidcServer {
  issuer: string;
  /** The variables of a service that uses it. */
  environment: Record<string, string>;
  /** Who signs in next, and what is known of them; null for somebody who cancels. */
  who: { sub: string; claims: Claims } | null;
  /** Whether the published keys are not those that sign. */
  hasWrongKeys: boolean;
  listen: () => Promise<void>;
  close: () => Promise<void>;
}

const client = { id: 'tintype', secret: 'a secret of the client: 100% & ünusual' };
const newKey = () => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  kid: 'key',
  use: 'sig',
  alg: 'RS256',
});

/** Not yet listening: a service must start without it. */
export async function createOidcServer({
  baseUrl,
  inIdToken = false,
  method = 'client_secret_basic',
}: {
  /** Of the service. */
  baseUrl: string;
  /** Whether the address is in the ID token, and not only at the address for it. */
  inIdToken?: boolean;
  method?: 'client_secret_basic' | 'client_secret_post';
}): Promise<OidcServer> {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const people = new Map<string, Claims>();
  const secret = client.secret.replaceAll(/[^\x21-\x7e]/g, '-');
  const other = { keys: [newKey()] };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: secret,
        redirect_uris: [`${baseUrl}/api/dashboard/oidc/callback`],
        token_endpoint_auth_method: method,
      },
    ],
    clientAuthMethods: [method],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !inIdToken,
    findAccount: (_context: Context, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...people.get(sub) }),
    }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }: Context) => {
      const { accountId } = oidc.session;
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, IdToken: 60 },
    jwks: { keys: [newKey()] },
    cookies: { keys: [randomUUID()] },
  });
  const answer = provider.callback();
  const server = createServer((request, response) => {
    if (made.hasWrongKeys && request.url === '/jwks') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: other.keys.map(({ kty, n, e, kid }) => ({ kty, n, e, kid })) }));
      return;
    }
    if (!request.url?.startsWith('/interaction/')) {
      void answer(request, response);
      return;
    }
    const { who } = made;
    if (who) people.set(who.sub, who.claims);
    const result = who ? { login: { accountId: who.sub } } : { error: 'access_denied' };
    void provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  });
  const made: OidcServer = {
    issuer,
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: client.id,
      OIDC_CLIENT_SECRET: secret,
      OIDC_NAME: 'Example ID',
    },
    who: null,
    hasWrongKeys: false,
    async listen() {
      server.listen(port, 'localhost');
      await once(server, 'listening');
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close').catch(() => {});
    },
  };
  return made;
}

/** Follows the redirects of the provider, as a browser that it has not seen before; the query with which it sends people back. */
export async function passProvider(url: string, { issuer }: OidcServer): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  let address = url;
  for (let step = 0; step < 10; step += 1) {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the provider answered ${response.status}: ${text.slice(0, 300)}`);
    address = new URL(location, address).href;
    if (!address.startsWith(issuer)) return Object.fromEntries(new URL(address).searchParams);
  }
  throw new Error('the provider redirects without end');
}
