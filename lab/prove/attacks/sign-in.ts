// Attacks on the way that nothing judges: only the operator may choose the provider, whatever a visitor sends.
import { type Attack, inTurns } from '#lab/prove/attacks/stage.ts';
import { createOidcServer, passProvider } from '#test/support/oidc.ts';
import { startService } from '#test/support/service.ts';
import { createVisitor } from '#test/support/visitor.ts';

export const otherProvider: Attack = async ({ canaries }) => {
  const baseUrl = 'http://tintype.test';
  const provider = await createOidcServer({ baseUrl });
  await provider.listen();
  const service = await startService({ ...provider.environment, OIDC_SIGNUPS: 'open', LOG_LEVEL: 'silent' });
  try {
    const foreign = `http://127.0.0.1:${canaries.port}/`;
    const named = {
      issuer: foreign,
      iss: foreign,
      provider: foreign,
      discoveryUrl: foreign,
      callbackURL: foreign,
      redirect_uri: foreign,
    };
    const starts = await inTurns(
      [{ next: foreign }, { next: `//127.0.0.1:${canaries.port}/` }, { next: '/', ...named }],
      (body) => createVisitor(service).call('POST /oidc/start', { body }),
    );
    const led = starts.filter(({ status, body }) => status === 200 && !body.url.startsWith(provider.issuer));
    // A return that names another provider: one that nobody began, and one with the code of the real provider.
    const visitor = createVisitor(service);
    await visitor.raw('GET /oidc/callback', { query: { code: 'x', state: 'x', ...named } });
    provider.who = { sub: 'sub', claims: { email: 'person@example.com', email_verified: true } };
    const comeBack = async (more: Record<string, string>): Promise<void> => {
      const { body } = await visitor.call('POST /oidc/start', { body: { next: '/' } });
      const query = { ...(await passProvider(body.url, provider)), ...more };
      await visitor.raw('GET /oidc/callback', { query });
    };
    await comeBack(named);
    await comeBack({});
    const isKnown = (await visitor.call('GET /session')).body.signed_in !== null;
    return {
      what: 'sign-in: another provider, named by a visitor at the start and at the return',
      seen: `${led.length} of ${starts.length} starts led elsewhere; the operator's provider, on loopback, signs in: ${isKnown ? 'yes' : 'no'}`,
      holds: led.length === 0 && isKnown,
    };
  } finally {
    await service.stop();
    await provider.close();
  }
};
