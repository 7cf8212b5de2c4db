// Somebody signs up with another person's address and leaves something in the account to come back with. Nothing of it works once
// the person has proven that the address is theirs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAuthenticator } from '#test/support/authenticator.ts';
import { png } from '#test/support/images.ts';
import { startMailbox, type Mailbox } from '#test/support/mailbox.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { totp } from '#test/support/totp.ts';
import { createVisitor, password, type Visitor } from '#test/support/visitor.ts';

let service: TestService;
let mailbox: Mailbox;
before(async () => {
  mailbox = await startMailbox();
  service = await startService({ SIGNUPS: 'open', SMTP_URL: mailbox.url, TRUST_PROXY: 'true' });
});
after(async () => {
  await service.stop();
  await mailbox.close();
});

const own = 'the password of the owner';
const nothing = { codes: false, passkeys: [], provider: null };
const tokenOf = (link: string): string => new URL(link).searchParams.get('token') ?? '';
const isSignedIn = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.call('GET /session')).body.signed_in !== null;

const useKey = async (key: string): Promise<number> => {
  const init = { headers: bearer(key), body: formOf([[await png(), 'a.png']]) };
  return (await post(`${service.origin}/api/v1/upload`, init)).status;
};

async function signUp() {
  const email = `victim-${crypto.randomUUID()}@example.com`;
  const visitor = createVisitor(service);
  const { status, body } = await visitor.call('POST /sign-up', { body: { name: 'X', email, password } });
  assert.equal(status, 201);
  return { ...visitor, email, accountId: body.id, verification: tokenOf(await mailbox.link(email)) };
}

/** As the owner of the address does: the address is taken, so they ask for a password. */
async function takeBack(email: string) {
  const owner = createVisitor(service);
  await owner.call('POST /forgot-password', { body: { email } });
  const token = tokenOf(await mailbox.link(email));
  const reset = await owner.call('POST /reset-password', { body: { token, new_password: own } });
  assert.equal(reset.status, 200);
  const notice = await mailbox.text(email);
  const { body } = await owner.call('POST /sign-in', { body: { email, password: own } });
  return { owner, reset: reset.body, notice, signedIn: body.signed_in };
}

/** A passkey, codes and a key in an account whose address is not proven, as versions before this rule allowed them. */
async function plant(attacker: Awaited<ReturnType<typeof signUp>>) {
  const authenticator = createAuthenticator(service.config.baseUrl);
  await service.accounts.update(attacker.email, { verified: true });
  const withPassword = { body: { current_password: password } };
  const { body: passkey } = await attacker.call('POST /passkeys/start', withPassword);
  const response = authenticator.create(passkey.options);
  const added = await attacker.call('POST /passkeys', { body: { name: 'planted', response } });
  assert.equal(added.status, 200);
  const { body: codes } = await attacker.call('POST /codes/start', withPassword);
  await attacker.call('POST /codes/confirm', { body: { code: totp(codes.uri) } });
  const { body: key } = await attacker.call('POST /keys', { body: { name: 'planted' } });
  const { body: again } = await attacker.call('POST /sign-in/passkey/start');
  const signIn = { body: { response: authenticator.get(again.options) } };
  assert.equal((await attacker.call('POST /sign-in/passkey', signIn)).status, 200, 'the passkey works');
  await service.accounts.update(attacker.email, { verified: false });
  return { authenticator, key: key.secret, uri: codes.uri, recovery: codes.recovery_codes };
}

async function passkeyStatus(authenticator: ReturnType<typeof createAuthenticator>): Promise<number> {
  const visitor = createVisitor(service);
  const { body } = await visitor.call('POST /sign-in/passkey/start');
  const response = authenticator.get(body.options);
  return (await visitor.call('POST /sign-in/passkey', { body: { response } })).status;
}

test('a stranger’s passkey, codes, key and session do not survive the reset by the owner of the address', async () => {
  const attacker = await signUp();
  const planted = await plant(attacker);
  const { owner, reset, notice, signedIn } = await takeBack(attacker.email);
  assert.equal(signedIn?.verified, true, 'no code of the stranger is asked for');
  assert.deepEqual(reset, { codes: false, provider: false, passkeys: [], keys: [] });
  assert.match(notice, /No passkey, authenticator app, sign-in provider or API key works for it/);
  assert.equal(await passkeyStatus(planted.authenticator), 401);
  assert.equal(await useKey(planted.key), 401);
  assert.equal(await isSignedIn(attacker), false);
  assert.deepEqual((await owner.call('GET /second-factors')).body, nothing);
  const old = await attacker.call('POST /sign-in', { body: { email: attacker.email, password } });
  assert.equal(old.status, 401);
});

test('nor the operator’s sign-in link, nor the link in the mail', async () => {
  for (const prove of ['sign-in link', 'verification link'] as const) {
    const attacker = await signUp();
    const planted = await plant(attacker);
    const owner = createVisitor(service);
    if (prove === 'sign-in link') {
      const token = tokenOf(await service.signIn.welcomeLink(attacker.email));
      assert.equal((await owner.call('POST /welcome', { body: { token } })).body.has_password, false);
    } else {
      // Signed in with the password of the stranger, for example because a mail of the stranger said so.
      await owner.call('POST /sign-in', { body: { email: attacker.email, password } });
      await owner.call('POST /sign-in/code', { body: { code: planted.recovery[0] } });
      const token = attacker.verification;
      assert.equal((await owner.call('POST /verify-email', { body: { token } })).body.verified, true);
    }
    assert.ok(await isSignedIn(owner), prove);
    assert.equal(await passkeyStatus(planted.authenticator), 401, prove);
    assert.equal(await useKey(planted.key), 401, prove);
    assert.equal(await isSignedIn(attacker), false, prove);
    assert.deepEqual((await owner.call('GET /second-factors')).body, nothing, prove);
  }
});

test('an unverified account can add nothing that signs in or acts, and learns why', async () => {
  const person = await signUp();
  const withPassword = { current_password: password };
  for (const [name, body] of [
    ['POST /passkeys/start', withPassword],
    ['POST /passkeys', { name: 'x', response: {} }],
    ['POST /codes/start', withPassword],
    ['POST /codes/confirm', { code: '123456' }],
    ['POST /codes/recovery', withPassword],
    ['POST /keys', { name: 'x' }],
    ['POST /keys/:id/rotate', { grace_seconds: 0 }],
    ['POST /integrations', { tool: 'shell' }],
  ] as const) {
    const refused = await person.call(name, { id: 'x', body });
    assert.equal(refused.status, 401, name);
    assert.match(refused.body.error.message, /^Confirm your e-mail address first: follow the link/, name);
  }
});

test('links that were asked for before the proof are dead after it', async () => {
  const attacker = await signUp();
  const elsewhere = `attacker-${crypto.randomUUID()}@example.com`;
  await attacker.call('POST /change-email', { body: { email: elsewhere, current_password: password } });
  const change = tokenOf(await mailbox.link(elsewhere));
  const welcome = tokenOf(await service.signIn.welcomeLink(attacker.email));
  await createVisitor(service).call('POST /forgot-password', { body: { email: attacker.email } });
  const otherReset = tokenOf(await mailbox.link(attacker.email));
  const { owner } = await takeBack(attacker.email);
  for (const token of [change, attacker.verification])
    assert.equal((await owner.call('POST /verify-email', { body: { token } })).status, 422);
  const stranger = createVisitor(service);
  assert.equal((await stranger.call('POST /welcome', { body: { token: welcome } })).status, 422);
  const again = { token: otherReset, new_password: password };
  assert.equal((await stranger.call('POST /reset-password', { body: again })).status, 422);
  assert.equal((await owner.call('GET /session')).body.signed_in?.email, attacker.email);
});

test('a sign-in with the old password that still waits for its turn starts no session after the reset', async () => {
  const attacker = await signUp();
  await createVisitor(service).call('POST /forgot-password', { body: { email: attacker.email } });
  const token = tokenOf(await mailbox.link(attacker.email));
  const from = (address: string) => createVisitor(service, { 'x-forwarded-for': address });
  const waiting = Array.from({ length: 9 }, () => from('198.51.100.9'));
  const signIns = waiting.map((visitor) =>
    visitor.call('POST /sign-in', { body: { email: attacker.email, password } }),
  );
  await Promise.race(signIns);
  const reset = await from('203.0.113.9').call('POST /reset-password', {
    body: { token, new_password: own },
  });
  assert.equal(reset.status, 200);
  await Promise.all(signIns);
  for (const visitor of waiting) assert.equal(await isSignedIn(visitor), false);
});
