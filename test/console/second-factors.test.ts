// A code after the password, recovery codes, passkeys, and what protects them. In a browser: test/dashboard/sign-in.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAuthenticator } from '#test/support/authenticator.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { totp } from '#test/support/totp.ts';
import { createVisitor, password, signedInVisitor } from '#test/support/visitor.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const withPassword = { body: { current_password: password } };
const wrongCode = (uri: string) => String((Number(totp(uri)) + 1) % 1_000_000).padStart(6, '0');

async function personWithCodes() {
  const person = await signedInVisitor(service);
  const { body: started } = await person.call('POST /codes/start', withPassword);
  const confirmed = await person.call('POST /codes/confirm', { body: { code: totp(started.uri) } });
  assert.equal(confirmed.status, 200);
  return { ...person, ...started };
}

const enter = (email: string) => {
  const visitor = createVisitor(service);
  return { visitor, first: visitor.call('POST /sign-in', { body: { email, password } }) };
};

test('codes are on after a first correct code; then the password is not enough to sign in', async () => {
  const person = await signedInVisitor(service);
  const wrong = await person.call('POST /codes/start', { body: { current_password: 'not the password' } });
  assert.match(wrong.body.error.message, /^current_password: /);
  const { body: started } = await person.call('POST /codes/start', withPassword);
  assert.match(started.uri, /^otpauth:\/\/totp\//);
  assert.equal(new Set(started.recovery_codes).size, 10);
  for (const code of started.recovery_codes) assert.match(code, /^[2-9a-hjkmnp-z]{5}-[2-9a-hjkmnp-z]{5}$/);
  const refused = await person.call('POST /codes/confirm', { body: { code: wrongCode(started.uri) } });
  assert.match(refused.body.error.message, /^code: /);
  assert.ok((await enter(person.email).first).body.signed_in, 'not on before the first code');

  assert.equal((await person.call('POST /codes/confirm', { body: { code: totp(started.uri) } })).status, 200);
  assert.equal((await person.call('GET /second-factors')).body.codes, true);
  const { visitor, first } = enter(person.email);
  assert.equal((await first).body.signed_in, null);
  assert.equal((await visitor.call('GET /session')).body.signed_in, null);
  assert.equal((await visitor.call('GET /keys')).status, 401);
  const { body } = await visitor.call('POST /sign-in/code', { body: { code: totp(started.uri) } });
  assert.equal(body.email, person.email);
  assert.equal((await visitor.call('GET /keys')).status, 200);
});

test('a recovery code signs in once; new ones replace the old', async () => {
  const person = await personWithCodes();
  const [code = '', second = ''] = person.recovery_codes;
  const byCode = async (given: string) => {
    const { visitor, first } = enter(person.email);
    await first;
    return (await visitor.call('POST /sign-in/code', { body: { code: given } })).status;
  };
  assert.equal(await byCode(code), 200);
  assert.equal(await byCode(code), 422);
  const { body } = await person.call('POST /codes/recovery', withPassword);
  assert.equal(await byCode(second), 422);
  assert.equal(await byCode(body.recovery_codes[0]!.replace('-', ' ')), 200);
});

test('guessing a code ends the attempt, and then locks the account for a while', async () => {
  const person = await personWithCodes();
  const guess = async () => {
    const { visitor, first } = enter(person.email);
    await first;
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      const answer = await visitor.call('POST /sign-in/code', { body: { code: wrongCode(person.uri) } });
      statuses.push(answer.status);
    }
    return statuses;
  };
  assert.deepEqual(await guess(), [422, 422, 422, 422, 422, 401]);
  assert.deepEqual((await guess()).slice(0, 5), [422, 422, 422, 422, 422]);
  const { visitor, first } = enter(person.email);
  await first;
  const locked = await visitor.call('POST /sign-in/code', { body: { code: totp(person.uri) } });
  assert.deepEqual([locked.status, locked.headers.get('retry-after')], [429, '900']);
  assert.ok((await person.call('GET /session')).body.signed_in, 'whoever is signed in stays so');
});

test('a sign-in by a link, which needs no code, is in the audit log if codes are on', async () => {
  const owner = await signedInVisitor(service, { owner: true });
  const acts = async (email: string) =>
    (await owner.call('GET /admin/audit')).body.items
      .filter(({ target }) => target === email)
      .map(({ action }) => action);
  const follow = async (email: string) => {
    const token = new URL(await service.signIn.welcomeLink(email)).searchParams.get('token');
    return (await createVisitor(service).call('POST /welcome', { body: { token } })).status;
  };
  const person = await personWithCodes();
  assert.equal(await follow(person.email), 200);
  assert.deepEqual(await acts(person.email), ['account.sign_in_without_code']);
  const other = await signedInVisitor(service);
  assert.equal(await follow(other.email), 200);
  assert.deepEqual(await acts(other.email), []);
});

test('a code without the password before it is refused', async () => {
  const person = await personWithCodes();
  const visitor = createVisitor(service);
  const answer = await visitor.call('POST /sign-in/code', { body: { code: totp(person.uri) } });
  assert.equal(answer.status, 401);
});

test('turning codes off requires the password; resetting the password leaves them on', async () => {
  const person = await personWithCodes();
  const wrong = await person.call('POST /codes/stop', { body: { current_password: 'not the password' } });
  assert.match(wrong.body.error.message, /^current_password: /);
  const account = (await service.database.tables.accounts.byId(person.accountId))!;
  const link = (await service.signIn.sendPasswordLink(account)) ?? '';
  const token = new URL(link).searchParams.get('token');
  const body = { token, new_password: password };
  const reset = await createVisitor(service).call('POST /reset-password', { body });
  assert.deepEqual(reset.body, { codes: true, provider: false, passkeys: [], keys: [] });
  const { visitor, first } = enter(person.email);
  assert.equal((await first).body.signed_in, null, 'a new password does not switch the codes off');
  await visitor.call('POST /sign-in/code', { body: { code: totp(person.uri) } });
  assert.equal((await visitor.call('POST /codes/stop', withPassword)).status, 200);
  assert.ok((await enter(person.email).first).body.signed_in);
});

test('no secret, recovery code or code is in the log, nor in plain text in the database', async () => {
  const person = await personWithCodes();
  const { visitor, first } = enter(person.email);
  await first;
  const code = totp(person.uri);
  await visitor.call('POST /sign-in/code', { body: { code } });
  const secret = new URL(person.uri).searchParams.get('secret')!;
  const log = JSON.stringify(service.logLines());
  const rows = JSON.stringify(
    await service.database.connection
      .selectFrom('two_factors' as 'accounts')
      .selectAll()
      .execute(),
  );
  for (const text of [secret, ...person.recovery_codes]) {
    assert.equal(log.includes(text), false);
    assert.equal(rows.includes(text), false);
  }
  assert.equal(log.includes(`"${code}"`), false);
});

test('an unknown passkey is refused, and adding one requires the password', async () => {
  const visitor = createVisitor(service);
  const { body } = await visitor.call('POST /sign-in/passkey/start');
  assert.equal(body.options['userVerification'], 'required');
  assert.equal(body.options['allowCredentials'], undefined);
  const made = { id: 'nobody', rawId: 'nobody', type: 'public-key', response: {} };
  assert.equal((await visitor.call('POST /sign-in/passkey', { body: { response: made } })).status, 401);
  assert.equal((await visitor.call('POST /sign-in/passkey', { body: { response: {} } })).status, 401);
  const person = await signedInVisitor(service);
  const wrong = await person.call('POST /passkeys/start', { body: { current_password: 'not the password' } });
  assert.match(wrong.body.error.message, /^current_password: /);
  assert.equal((await person.call('DELETE /passkeys/:id', { id: 'nobody', ...withPassword })).status, 404);
});

test('removing a passkey requires the password', async () => {
  const person = await signedInVisitor(service);
  const authenticator = createAuthenticator(service.config.baseUrl);
  const { body } = await person.call('POST /passkeys/start', withPassword);
  const response = authenticator.create(body.options);
  assert.equal((await person.call('POST /passkeys', { body: { name: 'laptop', response } })).status, 200);
  const id = (await person.call('GET /second-factors')).body.passkeys[0]?.id ?? '';
  const signIn = async () => {
    const visitor = createVisitor(service);
    const { body: asked } = await visitor.call('POST /sign-in/passkey/start');
    const given = { body: { response: authenticator.get(asked.options) } };
    return (await visitor.call('POST /sign-in/passkey', given)).status;
  };
  for (const given of [{}, { body: { current_password: 'not the password' } }])
    assert.equal((await person.call('DELETE /passkeys/:id', { id, ...given })).status, 422);
  assert.equal(await signIn(), 200);
  assert.equal((await person.call('DELETE /passkeys/:id', { id, ...withPassword })).status, 200);
  assert.equal(await signIn(), 401);
});
