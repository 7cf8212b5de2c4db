// Sign-in with a real OpenID Connect provider: who gets an account, who is linked to whom, and who is taken for somebody else.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOidcServer, passProvider, type Claims, type OidcServer } from '#test/support/oidc.ts';
import { startMailbox, type Mailbox } from '#test/support/mailbox.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { createVisitor, password, signedInVisitor, type Visitor } from '#test/support/visitor.ts';

const baseUrl = 'http://tintype.test';
let provider: OidcServer;
let service: TestService;
let mailbox: Mailbox;
before(async () => {
  mailbox = await startMailbox();
  provider = await createOidcServer({ baseUrl });
  await provider.listen();
  service = await startService({ ...provider.environment, OIDC_SIGNUPS: 'open', SMTP_URL: mailbox.url });
});
after(async () => {
  await service.stop();
  await provider.close();
  await mailbox.close();
});

const newEmail = (): string => `person-${crypto.randomUUID()}@example.com`;
const newSubject = (): string => crypto.randomUUID();

/** Where the browser ends up. */
async function comeBack(visitor: Visitor, url: string, at = provider): Promise<string> {
  const response = await visitor.raw('GET /oidc/callback', { query: await passProvider(url, at) });
  assert.equal(response.status, 302);
  return response.headers.get('location') ?? '';
}

async function start(visitor: Visitor, next = '/'): Promise<string> {
  const { status, body } = await visitor.call('POST /oidc/start', { body: { next } });
  assert.equal(status, 200);
  return body.url;
}

async function signInAs(
  sub: string,
  claims: Claims,
  { visitor = createVisitor(service), at = provider } = {},
) {
  at.who = { sub, claims };
  const path = await comeBack(visitor, await start(visitor), at);
  const { signed_in } = (await visitor.call('GET /session')).body;
  return { visitor, path, signedIn: signed_in };
}

async function link(visitor: Visitor, sub: string, claims: Claims = {}): Promise<string> {
  provider.who = { sub, claims };
  const { status, body } = await visitor.call('POST /oidc/link', { body: { current_password: password } });
  assert.equal(status, 200, JSON.stringify(body));
  return comeBack(visitor, body.url);
}

const credentialsOf = (email: string) =>
  service.database.connection
    .selectFrom('credentials')
    .innerJoin('people', 'people.id', 'credentials.person_id')
    .selectAll('credentials')
    .where('people.email', '=', email)
    .execute();

describe('somebody new', () => {
  test('gets an account with the address that the provider has proven, and the same one the next time', async () => {
    const [sub, email] = [newSubject(), newEmail()];
    const claims = { email: email.toUpperCase(), email_verified: true, name: 'Ann Lindqvist' };
    const first = await signInAs(sub, claims);
    assert.equal(first.path, '/dashboard/');
    assert.deepEqual(
      [first.signedIn?.email, first.signedIn?.verified, first.signedIn?.name, first.signedIn?.has_password],
      [email, true, 'Ann Lindqvist', false],
    );
    const again = await signInAs(sub, { ...claims, email: newEmail() });
    assert.equal(again.signedIn?.id, first.signedIn?.id, 'the subject decides, not the address');
    assert.equal(again.signedIn?.email, email);
    const [stored] = await credentialsOf(email);
    const { access_token, refresh_token, id_token, account_id } = stored as unknown as Record<
      string,
      unknown
    >;
    assert.deepEqual([access_token, refresh_token, id_token, account_id], [null, null, null, sub]);
  });

  test('goes on where they wanted to go, and nowhere else', async () => {
    for (const [next, path] of [
      ['/uploads?sort=name', '/dashboard/uploads?sort=name'],
      ['//evil.example', '/dashboard//evil.example'],
      ['/../../evil', '/dashboard/sign-in?oidc=failed'],
    ] as const) {
      provider.who = { sub: newSubject(), claims: { email: newEmail(), email_verified: true } };
      const visitor = createVisitor(service);
      assert.equal(await comeBack(visitor, await start(visitor, next)), path);
    }
  });

  test('with an address that the provider has not proven, proves it as after every sign-up', async () => {
    const email = newEmail();
    const { signedIn, visitor } = await signInAs(newSubject(), { email, email_verified: false });
    assert.equal(signedIn?.verified, false);
    const token = new URL(await mailbox.link(email)).searchParams.get('token');
    assert.equal((await visitor.call('POST /verify-email', { body: { token } })).status, 200);
    assert.equal((await visitor.call('GET /session')).body.signed_in?.verified, true);
    assert.equal((await credentialsOf(email)).length, 1, 'what the session began with stays');
  });

  test('without an address gets none, and leaves nothing', async () => {
    const before = (await service.accounts.list()).length;
    const { path, signedIn } = await signInAs(newSubject(), { name: 'Nobody' });
    assert.deepEqual([path, signedIn], ['/dashboard/sign-in?next=%2F&oidc=no_address', null]);
    assert.equal((await service.accounts.list()).length, before);
  });
});

describe('an address that somebody has here already', () => {
  for (const email_verified of [true, false])
    test(`is no way in, ${email_verified ? 'proven or not' : 'least of all one that is not proven'}`, async () => {
      const victim = await signedInVisitor(service);
      const { path, signedIn } = await signInAs(newSubject(), { email: victim.email, email_verified });
      assert.deepEqual([path, signedIn], ['/dashboard/sign-in?next=%2F&oidc=address_taken', null]);
      assert.equal((await credentialsOf(victim.email)).length, 1, 'the password and nothing else');
    });

  test("nor is that of an account that the operator made and nobody has used, the owner's too", async () => {
    const email = newEmail();
    const { id } = await service.accounts.create(email, { owner: true });
    const { path, signedIn } = await signInAs(newSubject(), { email, email_verified: true });
    assert.deepEqual([path, signedIn], ['/dashboard/sign-in?next=%2F&oidc=address_taken', null]);
    assert.equal(await service.database.tables.people.exists(id), false);
  });

  test('an account made with it and not proven ends for its maker when its owner proves it', async () => {
    const [sub, email] = [newSubject(), newEmail()];
    const attacker = await signInAs(sub, { email, email_verified: false });
    assert.equal(attacker.signedIn?.verified, false);
    await mailbox.link(email);
    const owner = createVisitor(service);
    await owner.call('POST /forgot-password', { body: { email } });
    const token = new URL(await mailbox.link(email)).searchParams.get('token');
    const { body } = await owner.call('POST /reset-password', { body: { token, new_password: password } });
    assert.equal(body.provider, false);
    const back = await signInAs(sub, { email, email_verified: true });
    assert.deepEqual([back.path, back.signedIn], ['/dashboard/sign-in?next=%2F&oidc=address_taken', null]);
  });
});

test('a link from before the proof is no way back in for whoever left a password with it', async () => {
  const [sub, email] = [newSubject(), newEmail()];
  const { visitor: attacker } = await signInAs(sub, { email, email_verified: false });
  const token = new URL(await mailbox.link(email)).searchParams.get('token');
  await attacker.call('POST /change-password', { body: { new_password: password } });
  // With the password of the stranger, for example because a mail of the stranger said so.
  const owner = createVisitor(service);
  await owner.call('POST /sign-in', { body: { email, password } });
  assert.equal((await owner.call('POST /verify-email', { body: { token } })).body.verified, true);
  const { path } = await signInAs(sub, { email, email_verified: true });
  assert.equal(path, '/dashboard/sign-in?next=%2F&oidc=address_taken');
});

describe('a link', () => {
  test('is made with the password by somebody who is signed in, whatever the address, and signs in', async () => {
    const person = await signedInVisitor(service);
    const sub = newSubject();
    const wrong = { body: { current_password: 'not the password' } };
    assert.equal((await person.call('POST /oidc/link', wrong)).status, 422);
    assert.equal((await person.call('POST /oidc/link', { body: {} })).status, 422);
    assert.equal(await link(person, sub), '/dashboard/settings?oidc=linked');
    const { provider: state } = (await person.call('GET /second-factors')).body;
    assert.deepEqual(state, { name: 'Example ID', linked: true });
    const { signedIn } = await signInAs(sub, {});
    assert.equal(signedIn?.id, person.accountId, 'also if the provider gives no address');
    const stranger = await signedInVisitor(service);
    assert.equal(await link(stranger, sub), '/dashboard/settings?oidc=linked_elsewhere');
    assert.equal((await stranger.call('GET /second-factors')).body.provider?.linked, false);
  });

  test('of a password reset: stays, and the person is told', async () => {
    const person = await signedInVisitor(service);
    await link(person, newSubject());
    await person.call('POST /forgot-password', { body: { email: person.email } });
    const token = new URL(await mailbox.link(person.email)).searchParams.get('token');
    const { body } = await createVisitor(service).call('POST /reset-password', {
      body: { token, new_password: password },
    });
    assert.equal(body.provider, true);
    assert.match(await mailbox.text(person.email), /signing in with the provider/);
  });

  test('that was begun in a session which has ended is not made', async () => {
    const person = await signedInVisitor(service);
    const thief = createVisitor(service);
    await thief.call('POST /sign-in', { body: { email: person.email, password } });
    const { body } = await thief.call('POST /oidc/link', { body: { current_password: password } });
    await person.call('POST /sessions/sign-out-others');
    provider.who = { sub: newSubject(), claims: {} };
    assert.equal(await comeBack(thief, body.url), '/dashboard/sign-in?oidc=not_signed_in');
    assert.equal((await person.call('GET /second-factors')).body.provider?.linked, false);
  });

  test('needs a proven address, as everything that signs in', async () => {
    const person = await signedInVisitor(service, { verified: false });
    const given = { body: { current_password: password } };
    assert.equal((await person.call('POST /oidc/link', given)).status, 401);
  });

  test('is removed with the password; without one it is the only way in, and stays', async () => {
    const person = await signedInVisitor(service);
    const sub = newSubject();
    await link(person, sub);
    const wrong = { body: { current_password: 'not the password' } };
    assert.equal((await person.call('POST /oidc/unlink', wrong)).status, 422);
    const right = { body: { current_password: password } };
    assert.equal((await person.call('POST /oidc/unlink', right)).status, 200);
    const { path } = await signInAs(sub, { email: person.email, email_verified: true });
    assert.equal(path, '/dashboard/sign-in?next=%2F&oidc=address_taken');
    const only = await signInAs(newSubject(), { email: newEmail(), email_verified: true });
    const refused = await only.visitor.call('POST /oidc/unlink', { body: {} });
    assert.equal(refused.status, 422);
    assert.match(refused.body.error.message, /set a password first/);
  });
});

describe('the way back', () => {
  test('works once, and only in the browser that went there', async () => {
    provider.who = { sub: newSubject(), claims: { email: newEmail(), email_verified: true } };
    const visitor = createVisitor(service);
    const query = await passProvider(await start(visitor), provider);
    const other = await createVisitor(service).raw('GET /oidc/callback', { query });
    assert.equal(other.headers.get('location'), '/dashboard/sign-in?next=%2F&oidc=expired');
    const first = await visitor.raw('GET /oidc/callback', { query });
    assert.equal(first.headers.get('location'), '/dashboard/');
    const second = await visitor.raw('GET /oidc/callback', { query });
    assert.equal(second.headers.get('location'), '/dashboard/sign-in?oidc=expired');
    const odd = await visitor.raw('GET /oidc/callback', { query: { state: 'x'.repeat(500) } });
    assert.equal(odd.headers.get('location'), '/dashboard/sign-in?oidc=expired');
  });

  test('of somebody who cancels says so', async () => {
    provider.who = null;
    const visitor = createVisitor(service);
    assert.equal(await comeBack(visitor, await start(visitor)), '/dashboard/sign-in?next=%2F&oidc=refused');
  });
});

test('closed sign-up: nobody new, and the setting of the installation counts if there is no other', async () => {
  const own = await createOidcServer({ baseUrl, inIdToken: true, method: 'client_secret_post' });
  await own.listen();
  const closed = await startService(own.environment);
  try {
    const claims = { email: newEmail(), email_verified: true };
    const attempt = async () => {
      const visitor = createVisitor(closed);
      own.who = { sub: 'a', claims };
      return comeBack(visitor, await start(visitor), own);
    };
    assert.equal(await attempt(), '/dashboard/sign-in?next=%2F&oidc=signups_closed');
    assert.deepEqual(await closed.accounts.list(), []);
    const owner = await signedInVisitor(closed, { owner: true });
    await owner.call('PATCH /admin/settings', { body: { signups: 'open' } });
    assert.equal(await attempt(), '/dashboard/');
  } finally {
    await closed.stop();
    await own.close();
  }
});

test('the same subject at another issuer is somebody else', async () => {
  const [first, second] = [await createOidcServer({ baseUrl }), await createOidcServer({ baseUrl })];
  await Promise.all([first.listen(), second.listen()]);
  const { path: DATA_DIR, remove } = await temporaryFolder();
  const folder = { DATA_DIR, OIDC_SIGNUPS: 'open' };
  const claims = { email: newEmail(), email_verified: true };
  const visit = async (at: OidcServer): Promise<string> => {
    const own = await startService({ ...folder, DATABASE_URL: '', ...at.environment });
    try {
      at.who = { sub: 'the same', claims };
      const visitor = createVisitor(own);
      return await comeBack(visitor, await start(visitor), at);
    } finally {
      await own.stop();
    }
  };
  try {
    assert.equal(await visit(first), '/dashboard/');
    assert.equal(await visit(second), '/dashboard/sign-in?next=%2F&oidc=address_taken');
    assert.equal(await visit(first), '/dashboard/');
  } finally {
    await Promise.all([first.close(), second.close()]);
    await remove();
  }
});

test('the service starts without the provider, and uses it as soon as it answers', async () => {
  const late = await createOidcServer({ baseUrl });
  const own = await startService({ ...late.environment, OIDC_SIGNUPS: 'open' });
  try {
    const visitor = createVisitor(own);
    assert.equal((await visitor.call('GET /instance')).body.sign_in_provider, 'Example ID');
    assert.equal(await start(visitor), '/dashboard/sign-in?oidc=unavailable');
    await late.listen();
    late.who = { sub: newSubject(), claims: { email: newEmail(), email_verified: true } };
    assert.equal(await comeBack(visitor, await start(visitor), late), '/dashboard/');
    assert.doesNotMatch(JSON.stringify(own.logLines()), new RegExp(late.environment['OIDC_CLIENT_SECRET']!));
  } finally {
    await own.stop();
    await late.close();
  }
});

test('a provider that calls itself otherwise, or whose tokens its keys did not sign, lets nobody in', async () => {
  const odd = await createOidcServer({ baseUrl, inIdToken: true });
  await odd.listen();
  const [slash, keys] = [
    await startService({ ...odd.environment, OIDC_ISSUER: `${odd.issuer}/` }),
    await startService({ ...odd.environment, OIDC_SIGNUPS: 'open' }),
  ];
  try {
    assert.equal(await start(createVisitor(slash)), '/dashboard/sign-in?oidc=unavailable');
    assert.ok(JSON.stringify(slash.logLines()).includes('set OIDC_ISSUER to exactly that'));
    odd.hasWrongKeys = true;
    odd.who = { sub: newSubject(), claims: { email: newEmail(), email_verified: true } };
    const visitor = createVisitor(keys);
    assert.equal(
      await comeBack(visitor, await start(visitor), odd),
      '/dashboard/sign-in?next=%2F&oidc=failed',
    );
    assert.deepEqual(await keys.accounts.list(), []);
  } finally {
    await Promise.all([slash.stop(), keys.stop()]);
    await odd.close();
  }
});

test('without a provider there is no way to one', async () => {
  const own = await startService();
  try {
    const visitor = createVisitor(own);
    assert.equal((await visitor.call('GET /instance')).body.sign_in_provider, null);
    assert.equal((await visitor.call('POST /oidc/start', { body: { next: '/' } })).status, 404);
    assert.equal((await visitor.raw('GET /oidc/callback')).status, 404);
  } finally {
    await own.stop();
  }
});
