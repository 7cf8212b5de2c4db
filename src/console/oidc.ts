// Sign-in with the operator's OpenID Connect provider: the way there, the way back, and the link in the settings.
import { notFound } from '#core/errors.ts';
import { setCookies, type DashboardParts, type Handlers } from '#console/serve.ts';

export function oidcHandlers({ accounts: { signIn } }: DashboardParts) {
  const provider = () => {
    if (!signIn.provider) throw notFound();
    return signIn.provider;
  };

  return {
    async 'POST /oidc/start'({ reply, client, body }) {
      const { cookies, value } = await provider().startSignIn(body.next, client);
      setCookies(reply, cookies);
      return { url: value };
    },
    /** A page that the browser was sent to, so it gets a page in every case. */
    async 'GET /oidc/callback'({ request, reply, client }) {
      const session = await signIn.whoIs(client);
      const query = request.query as Record<string, unknown>;
      const { cookies, value } = await provider().finish(query, client, session?.value);
      setCookies(reply, cookies);
      return reply.redirect(value, 302);
    },
    async 'POST /oidc/link'({ reply, client, person, body }) {
      await signIn.checkPassword(body.current_password, person, client);
      const { cookies, value } = await provider().startLink(client);
      setCookies(reply, cookies);
      return { url: value };
    },
    async 'POST /oidc/unlink'({ client, person, body }) {
      await signIn.checkPassword(body.current_password, person, client);
      await provider().unlink(person);
      return { done: true };
    },
  } satisfies Partial<Handlers>;
}
