// Signing up, in and out, and every link that proves an address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getMigrations } from 'better-auth/db/migration';
import { png } from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import {
  createVisitor,
  loggedToken,
  password,
  signedInVisitor,
  type Visitor,
} from '#test/support/visitor.ts';

let service: TestService;
before(async () => {
  service = await startService({ SIGNUPS: 'open' });
});
after(() => service.stop());

const newEmail = (): string => `new-${crypto.randomUUID()}@example.com`;

async function signUp(email = newEmail()): Promise<Visitor & { email: string }> {
  const visitor = createVisitor(service);
  const { status } = await visitor.call('POST /sign-up', { body: { name: 'New', email, password } });
  assert.equal(status, 201);
  return { ...visitor, email };
}

test('every entry page of the dashboard has a short address', async () => {
  for (const page of ['sign-in', 'sign-up', 'forgot-password', 'reset-password', 'verify-email', 'welcome']) {
    const answer = await fetch(`${service.origin}/${page}?a=b`, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, `/dashboard/${page}?a=b`]);
  }
});

const useKey = async (key: string): Promise<number> => {
  const init = { headers: bearer(key), body: formOf([[await png(), 'a.png']]) };
  return (await post(`${service.origin}/api/v1/upload`, init)).status;
};

test('the tables of people and sessions are what better-auth requires', async () => {
  const { toBeCreated, toBeAdded } = await getMigrations(service.signIn.options);
  assert.deepEqual([toBeCreated, toBeAdded], [[], []]);
});

test('a new person signs up, is asked to verify, and has a key that works after that', async () => {
  const visitor = await signUp();
  const session = await visitor.call('GET /session');
  assert.deepEqual(
    [session.body.signed_in?.email, session.body.signed_in?.verified, session.body.signed_in?.owner],
    [visitor.email, false, false],
  );
  assert.equal((await visitor.call('POST /keys', { body: { name: 'mine' } })).status, 401);
  const upload = await visitor.call('POST /uploads', { form: formOf([[await png(), 'a.png']]) });
  assert.equal(upload.status, 401);

  const token = await loggedToken(service, visitor.email);
  const verified = await visitor.call('POST /verify-email', { body: { token } });
  assert.equal(verified.body.verified, true);
  const { body: key } = await visitor.call('POST /keys', { body: { name: 'mine' } });
  assert.equal(await useKey(key.secret), 201);
  assert.equal((await visitor.call('POST /verify-email', { body: { token } })).status, 422, 'works once');
});

test('a verification link does nothing for a person who is signed in as somebody else', async () => {
  const mine = await signUp();
  const token = await loggedToken(service, mine.email);
  const stranger = await signUp();
  assert.equal((await stranger.call('POST /verify-email', { body: { token } })).status, 422);
  assert.equal((await mine.call('GET /session')).body.signed_in?.verified, false);
  assert.equal((await stranger.call('GET /session')).body.signed_in?.verified, false);
});

test('the session cookie is HttpOnly, SameSite, bound to the dashboard and, under https, Secure', async () => {
  const secure = await startService({ SIGNUPS: 'open', BASE_URL: 'https://tintype.test' });
  try {
    for (const [running, isSecure] of [
      [service, false],
      [secure, true],
    ] as const) {
      const response = await createVisitor(running).raw('POST /sign-up', {
        body: { name: 'New', email: newEmail(), password },
      });
      const [cookie = ''] = response.headers.getSetCookie();
      assert.match(cookie, /session_token=.+; Path=\/api\/dashboard; HttpOnly;.*SameSite=Lax/i);
      assert.equal(/; Secure/i.test(cookie), isSecure);
    }
  } finally {
    await secure.stop();
  }
});

test('signing in and out; a wrong password and an unknown address look the same', async () => {
  const { email } = await signUp();
  const visitor = createVisitor(service);
  const wrong = await visitor.call('POST /sign-in', { body: { email, password: 'not the password' } });
  const unknown = await visitor.call('POST /sign-in', { body: { email: newEmail(), password } });
  assert.equal(wrong.status, 401);
  const said = ({ body }: typeof wrong) => ({
    ...(body as unknown as { error: object }).error,
    request_id: '',
  });
  assert.deepEqual([unknown.status, said(unknown)], [401, said(wrong)]);

  assert.equal((await visitor.call('POST /sign-in', { body: { email, password } })).status, 200);
  const stolen = new Map(visitor.cookies);
  assert.equal((await visitor.call('POST /sign-out')).status, 200);
  for (const [name, value] of stolen) visitor.cookies.set(name, value);
  assert.equal(
    (await visitor.call('GET /session')).body.signed_in,
    null,
    'the cookie is dead, not only dropped',
  );
});

test('guessing one password is slowed down', async () => {
  const { email } = await signUp();
  const visitor = createVisitor(service);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    statuses.push(
      (await visitor.call('POST /sign-in', { body: { email, password: `guess ${attempt}` } })).status,
    );
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429]);
  await service.clock.advance(61_000);
  assert.equal((await visitor.call('POST /sign-in', { body: { email, password } })).status, 200);
});

test('wrong passwords from elsewhere do not lock a person out', async () => {
  const behindProxy = await startService({ TRUST_PROXY: 'true', SIGNUPS: 'open' });
  try {
    const email = newEmail();
    const signInFrom = async (address: string, given: string): Promise<number> => {
      const response = await fetch(`${behindProxy.origin}/api/dashboard/sign-in`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin: behindProxy.config.baseUrl,
          'x-forwarded-for': address,
        },
        body: JSON.stringify({ email, password: given }),
      });
      await response.body?.cancel();
      return response.status;
    };
    const { status } = await createVisitor(behindProxy).call('POST /sign-up', {
      body: { name: 'X', email, password },
    });
    assert.equal(status, 201);
    assert.equal(await signInFrom('192.0.2.1', password), 200, 'at home');

    for (let guess = 0; guess < 10; guess += 1) {
      assert.equal(await signInFrom('198.51.100.7', `guess ${guess}`), 401);
    }
    assert.equal(await signInFrom('198.51.100.7', 'guess'), 429);
    assert.equal(await signInFrom('192.0.2.1', password), 200, 'at home');
    assert.equal(await signInFrom('192.0.2.99', password), 200, 'at a new place');

    const strangers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => signInFrom(`203.0.113.${index}`, 'guess')),
    );
    assert.ok(strangers.includes(429), 'many addresses together are slowed down');
    assert.equal(await signInFrom('192.0.2.1', password), 200, 'at home, all the same');
  } finally {
    await behindProxy.stop();
  }
});

test('an address that is taken cannot sign up again; a closed service has no sign-up', async () => {
  const { email } = await signUp();
  const again = await createVisitor(service).call('POST /sign-up', { body: { name: 'X', email, password } });
  assert.equal(again.body.error.code, 'validation_error');
  assert.match(again.body.error.message, /^email: /);

  const closed = await startService();
  try {
    const visitor = createVisitor(closed);
    assert.equal((await visitor.call('GET /instance')).body.signups, 'closed');
    const refused = await visitor.call('POST /sign-up', { body: { name: 'X', email: newEmail(), password } });
    assert.equal(refused.status, 404);
    assert.equal(await closed.accounts.isEmpty(), true);
  } finally {
    await closed.stop();
  }
});

test('a password is reset by a link that works once and ends every session', async () => {
  const visitor = await signUp();
  const verification = await loggedToken(service, visitor.email);
  await visitor.call('POST /verify-email', { body: { token: verification } });
  const asked = await createVisitor(service).call('POST /forgot-password', {
    body: { email: visitor.email },
  });
  assert.deepEqual(asked.body, { mail: 'logged' });
  const token = await loggedToken(service, visitor.email);
  const body = { token, new_password: 'another good password' };
  const { body: key } = await visitor.call('POST /keys', { body: { name: 'laptop' } });
  const reset = await createVisitor(service).call('POST /reset-password', { body });
  const { name, display, created_at } = key.key;
  assert.deepEqual(reset.body, {
    codes: false,
    provider: false,
    passkeys: [],
    keys: [{ name, display, created_at }],
  });
  assert.equal((await createVisitor(service).call('POST /reset-password', { body })).status, 422);
  assert.equal((await visitor.call('GET /session')).body.signed_in, null);
  const { status } = await visitor.call('POST /sign-in', {
    body: { email: visitor.email, password: body.new_password },
  });
  assert.equal(status, 200);
});

test('an account made by the operator gets its password by the same link; an unknown address gets no mail', async () => {
  const email = newEmail();
  await service.accounts.create(email);
  const before = service.logLines().filter((line) => 'link' in line).length;
  const visitor = createVisitor(service);
  const unknown = await visitor.call('POST /forgot-password', { body: { email: newEmail() } });
  const known = await visitor.call('POST /forgot-password', { body: { email } });
  assert.deepEqual([unknown.status, unknown.body], [known.status, known.body]);
  const token = await loggedToken(service, email);
  assert.equal(service.logLines().filter((line) => 'link' in line).length, before + 1);
  await visitor.call('POST /reset-password', { body: { token, new_password: password } });
  const { body } = await visitor.call('POST /sign-in', { body: { email, password } });
  assert.deepEqual([body.signed_in?.verified, body.signed_in?.has_password], [true, true]);
});

test('the welcome link signs in once, then asks for a password', async () => {
  const email = newEmail();
  await service.accounts.create(email, { plan: 'business', owner: true });
  const token = new URL(await service.signIn.welcomeLink(email)).searchParams.get('token') ?? '';
  const visitor = createVisitor(service);
  const [first, second] = await Promise.all([
    visitor.call('POST /welcome', { body: { token } }),
    createVisitor(service).call('POST /welcome', { body: { token } }),
  ]);
  assert.deepEqual(
    [first.status, second.status].toSorted((left, right) => left - right),
    [200, 422],
  );
  assert.equal((await createVisitor(service).call('POST /welcome', { body: { token } })).status, 422);

  const again = new URL(await service.signIn.welcomeLink(email)).searchParams.get('token') ?? '';
  const session = await visitor.call('POST /welcome', { body: { token: again } });
  assert.deepEqual([session.body.owner, session.body.has_password], [true, false]);
  const set = await visitor.call('POST /change-password', { body: { new_password: password } });
  assert.equal(set.body.has_password, true);
  const { status } = await createVisitor(service).call('POST /sign-in', { body: { email, password } });
  assert.equal(status, 200);
});

test('sessions are listed; one and all others can be ended; a changed password ends the others', async () => {
  const visitor = await signedInVisitor(service);
  const others = [createVisitor(service), createVisitor(service), createVisitor(service)];
  for (const other of others) await other.call('POST /sign-in', { body: { email: visitor.email, password } });
  const { body } = await visitor.call('GET /sessions');
  assert.equal(body.items.length, 4);
  assert.equal(body.items.filter(({ current }) => current).length, 1);
  const { body: theirs } = await others[0]!.call('GET /sessions');
  const first = theirs.items.find(({ current }) => current)?.id ?? '';
  assert.equal((await visitor.call('DELETE /sessions/:id', { id: first })).status, 200);
  const alive = async () =>
    Promise.all(others.map(async (other) => (await other.call('GET /session')).body.signed_in !== null));
  assert.deepEqual(await alive(), [false, true, true]);

  const changed = await others[1]!.call('POST /change-password', {
    body: { current_password: password, new_password: 'a second good password' },
  });
  assert.equal(changed.status, 200);
  assert.deepEqual(await alive(), [false, true, false]);
  assert.equal((await visitor.call('GET /session')).body.signed_in, null);
  const wrong = await others[1]!.call('POST /change-password', {
    body: { current_password: password, new_password: 'a third good password' },
  });
  assert.match(wrong.body.error.message, /^current_password: /);
});

test('a new address takes effect when the link sent to it is followed', async () => {
  const visitor = await signedInVisitor(service);
  const email = newEmail();
  const asked = await visitor.call('POST /change-email', { body: { email, current_password: password } });
  assert.equal(asked.status, 200);
  assert.equal((await visitor.call('GET /session')).body.signed_in?.email, visitor.email);
  const token = await loggedToken(service, email);
  assert.equal((await visitor.call('POST /verify-email', { body: { token } })).body.email, email);
  const { status } = await createVisitor(service).call('POST /sign-in', { body: { email, password } });
  assert.equal(status, 200);
  assert.equal((await visitor.call('PATCH /profile', { body: { name: 'Ada' } })).body.name, 'Ada');
});

test('a link to change the address works once, and not after the address was changed back', async () => {
  const visitor = await signedInVisitor(service);
  const change = async (email: string): Promise<string> => {
    await visitor.call('POST /change-email', { body: { email, current_password: password } });
    return loggedToken(service, email);
  };
  const follow = (token: string) => visitor.call('POST /verify-email', { body: { token } });
  const email = newEmail();
  const [first, second] = [await change(email), await change(email)];
  assert.equal((await follow(first)).body.email, email);
  assert.equal((await follow(first)).status, 422);
  assert.equal((await follow(await change(visitor.email))).body.email, visitor.email);
  for (const token of [first, second]) assert.equal((await follow(token)).status, 422);
  assert.equal((await visitor.call('GET /session')).body.signed_in?.email, visitor.email);
});

test('a link to an address that somebody else has taken meanwhile is refused', async () => {
  const visitor = await signedInVisitor(service);
  const email = newEmail();
  await visitor.call('POST /change-email', { body: { email, current_password: password } });
  const token = await loggedToken(service, email);
  await service.accounts.create(email);
  const refused = await visitor.call('POST /verify-email', { body: { token } });
  assert.deepEqual([refused.status, refused.body.error.message], [422, 'email: is taken']);
});

test('mails to an address that is not proven are limited', async () => {
  const visitor = await signUp();
  const statuses: number[] = [];
  for (let mail = 0; mail < 11; mail += 1)
    statuses.push((await visitor.call('POST /verify-email/send')).status);
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429]);
});

test('a suspended account can sign in and read the reason, and nothing else', async () => {
  const visitor = await signedInVisitor(service);
  await service.accounts.update(visitor.email, { suspended: true, suspendedReason: 'Spam.' });
  const session = await visitor.call('GET /session');
  assert.deepEqual(
    [session.body.signed_in?.suspended, session.body.signed_in?.suspended_reason],
    [true, 'Spam.'],
  );
  const refused = await visitor.call('GET /overview');
  assert.equal(refused.status, 401);
  assert.match(refused.body.error.message, /Spam\./);
  const exported = await visitor.raw('GET /export');
  assert.equal(exported.status, 200);
  assert.ok((await exported.arrayBuffer()).byteLength > 0);
});
