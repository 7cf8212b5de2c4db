// The owner's settings for the installation, links for people if no mail is configured, and accounts that the owner deletes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readBlob } from '#storage/blobs.ts';
import { isOld, releaseOf } from '#browser/install/releases.ts';
import { openBlobs } from '#roof/engines.ts';
import { png } from '#test/support/images.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { isOnServers } from '#test/support/stores.ts';
import { createVisitor, loggedToken, password, signedInVisitor } from '#test/support/visitor.ts';

type Person = Awaited<ReturnType<typeof signedInVisitor>>;

let service: TestService;
let owner: Person;
before(async () => {
  service = await startService();
  owner = await signedInVisitor(service, { owner: true });
});
after(() => service.stop());

const signUp = { name: 'Ann', email: 'ann@example.com', password };
const newest = async () => (await owner.call('GET /admin/audit')).body.items[0];

test('the owner opens and closes sign-ups, and sets a contact address', async () => {
  const visitor = createVisitor(service);
  assert.equal((await visitor.call('POST /sign-up', { body: signUp })).status, 404);
  const opened = await owner.call('PATCH /admin/settings', {
    body: { signups: 'open', operator_contact: '  ops@example.com ' },
  });
  assert.deepEqual(opened.body, {
    signups: 'open',
    signups_fixed: false,
    operator_contact: 'ops@example.com',
    sends_mail: false,
  });
  const { body: instance } = await visitor.call('GET /instance');
  assert.deepEqual([instance.signups, instance.operator_contact], ['open', 'ops@example.com']);
  assert.equal((await visitor.call('POST /sign-up', { body: signUp })).status, 201);
  const act = await newest();
  assert.deepEqual(
    [act?.action, act?.target, act?.detail],
    ['settings.update', null, { signups: 'open', operatorContact: 'ops@example.com' }],
  );

  await owner.call('PATCH /admin/settings', { body: { signups: 'closed', operator_contact: null } });
  const { body: closed } = await visitor.call('GET /instance');
  assert.deepEqual([closed.signups, closed.operator_contact], ['closed', null]);
  const tooLong = await owner.call('PATCH /admin/settings', { body: { operator_contact: 'x'.repeat(201) } });
  assert.match(tooLong.body.error.message, /^operator_contact: /);
});

test('an environment variable overrides the dashboard', async () => {
  const fixed = await startService({ SIGNUPS: 'closed' });
  try {
    const person = await signedInVisitor(fixed, { owner: true });
    assert.equal((await person.call('GET /admin/settings')).body.signups_fixed, true);
    const refused = await person.call('PATCH /admin/settings', { body: { signups: 'open' } });
    assert.equal(refused.status, 422);
    assert.match(refused.body.error.message, /^signups: .*SIGNUPS/);
    assert.equal((await person.call('GET /instance')).body.signups, 'closed');
  } finally {
    await fixed.stop();
  }
});

test('a test message arrives, or reports the error', async () => {
  assert.match((await owner.call('POST /admin/settings/test-mail')).body.problem ?? '', /SMTP_URL/);
  const mailbox = await startMailbox();
  const mailing = await startService({ SMTP_URL: mailbox.url });
  try {
    const person = await signedInVisitor(mailing, { owner: true });
    const { body } = await person.call('POST /admin/settings/test-mail');
    assert.deepEqual(body, { to: person.email, problem: null });
    assert.match(await mailbox.text(person.email), /arrives/);
    const { body: invited } = await person.call('POST /admin/accounts', {
      body: { email: 'mailed@example.com', plan: 'pro' },
    });
    assert.deepEqual([invited.mail, invited.link], ['sent', null], 'a link that is mailed is not shown');
    await mailbox.close();
    const { body: failed } = await person.call('POST /admin/settings/test-mail');
    assert.match(failed.problem ?? '', /ECONNREFUSED|connect/);
    for (let attempt = 0; attempt < 5; attempt++) await person.call('POST /admin/settings/test-mail');
    assert.equal((await person.call('POST /admin/settings/test-mail')).status, 429);
  } finally {
    await mailing.stop();
  }
});

test('without mail the owner gets the link of an invitation, a new password and a verification, each recorded', async () => {
  const email = `linked-${crypto.randomUUID()}@example.com`;
  const { body: made } = await owner.call('POST /admin/accounts', { body: { email, plan: 'free' } });
  const { id } = made.account;
  const tokenOf = (link: string | null) => new URL(link ?? '').searchParams.get('token') ?? '';
  assert.equal(tokenOf(made.link), await loggedToken(service, email));
  const visitor = createVisitor(service);
  assert.equal(
    (await visitor.call('POST /welcome', { body: { token: tokenOf(made.link) } })).body.email,
    email,
  );

  const linkOf = async (kind: string) =>
    (await owner.call('POST /admin/accounts/:id/link', { id, body: { kind } })).body.link;
  const reset = tokenOf(await linkOf('password'));
  assert.equal(
    (await visitor.call('POST /reset-password/check', { body: { token: reset } })).body.works,
    true,
  );
  await visitor.call('POST /reset-password', { body: { token: reset, new_password: password } });
  assert.equal((await visitor.call('POST /sign-in', { body: { email, password } })).status, 200);
  const again = createVisitor(service);
  const { body: entered } = await again.call('POST /welcome', {
    body: { token: tokenOf(await linkOf('sign-in')) },
  });
  assert.equal(entered.email, email);

  const early = await owner.call('POST /admin/accounts/:id/link', { id, body: { kind: 'verification' } });
  assert.match(early.body.error.message, /^kind: .*already/);
  await owner.call('PATCH /admin/accounts/:id', { id, body: { verified: false } });
  const token = tokenOf(await linkOf('verification'));
  const own = await visitor.call('POST /verify-email/send');
  assert.equal(own.body.link, null, 'a link that nobody mailed proves nothing to whoever asks for it');
  assert.equal((await visitor.call('POST /verify-email', { body: { token } })).body.verified, true);
  const acts = (await owner.call('GET /admin/audit')).body.items;
  assert.deepEqual(
    acts
      .filter(({ action, target }) => action === 'account.link' && target === email)
      .map(({ detail }) => detail),
    [{ kind: 'verification' }, { kind: 'sign-in' }, { kind: 'password' }],
  );
  const nobody = await owner.call('POST /admin/accounts/:id/link', {
    id: 'nobody',
    body: { kind: 'password' },
  });
  assert.equal(nobody.status, 404);
});

test('an owner without mail gets the link to their own new address', async () => {
  const { body } = await owner.call('POST /change-email', {
    body: { email: `new-${owner.email}`, current_password: password },
  });
  const token = new URL(body.link ?? '').searchParams.get('token') ?? '';
  const moved = await owner.call('POST /verify-email', { body: { token } });
  assert.equal(moved.body.email, `new-${owner.email}`);
});

test('owners cannot lock out themselves or another owner', async () => {
  const second = await signedInVisitor(service);
  const change = (id: string, body: object) => owner.call('PATCH /admin/accounts/:id', { id, body });
  for (const body of [{ suspended: true, suspended_reason: 'x' }, { verified: false }, { owner: false }]) {
    const { status, body: answer } = await change(owner.accountId, body);
    assert.deepEqual([status, /you cannot/.test(answer.error.message)], [422, true], JSON.stringify(body));
  }
  assert.equal((await change(second.accountId, { owner: true })).body.owner, true);
  for (const body of [{ suspended: true, suspended_reason: 'x' }, { verified: false }]) {
    assert.match((await change(second.accountId, body)).body.error.message, /take the ownership away first/);
  }
  const remove = (id: string, email: string) =>
    owner.call('POST /admin/accounts/:id/delete', { id, body: { email } });
  assert.match((await remove(second.accountId, second.email)).body.error.message, /ownership/);
  assert.match((await remove(owner.accountId, owner.email)).body.error.message, /in your settings/);
  assert.equal((await change(second.accountId, { owner: false })).body.owner, false);
  const row = await service.database.tables.accounts.byId(owner.accountId);
  await assert.rejects(service.accounts.update(row!.email, { owner: false }), /only owner/);

  const { body: sessions } = await owner.call('GET /sessions');
  const mine = sessions.items.find(({ current }) => current)!;
  const ended = await owner.call('DELETE /sessions/:id', { id: mine.id });
  assert.match(ended.body.error.message, /sign out instead/);
  assert.ok((await owner.call('GET /session')).body.signed_in);
});

test('an account that the owner deletes stops working at once; files, keys and rows are deleted, and the audit row stays', async () => {
  const person = await signedInVisitor(service);
  const { body: key } = await person.call('POST /keys', { body: { name: 'a' } });
  const upload = async () =>
    post<{ id: string; file_url: string }>(`${service.origin}/api/v1/upload`, {
      headers: bearer(key.secret),
      body: formOf([[await png(), 'a.png']]),
    });
  const { body: stored } = await upload();
  const remove = (email: string) =>
    owner.call('POST /admin/accounts/:id/delete', { id: person.accountId, body: { email } });
  assert.match((await remove('other@example.com')).body.error.message, /^email: /);
  assert.equal((await upload()).status, 201);

  assert.equal((await remove(person.email.toUpperCase())).status, 200);
  assert.equal((await upload()).status, 401);
  assert.equal((await fetch(service.origin + new URL(stored.file_url).pathname)).status, 404);
  assert.equal((await person.call('GET /session')).body.signed_in, null);
  assert.equal((await remove(person.email)).status, 404);
  const act = await newest();
  assert.deepEqual(
    [act?.action, act?.target, act?.detail],
    ['account.delete', null, { id: person.accountId, plan: 'business' }],
  );
  const blobs = await openBlobs(service.config, 'uploads');
  assert.ok(await readBlob(blobs, stored.id));
  await service.clock.advance(15_000);
  assert.equal(await readBlob(blobs, stored.id), undefined);
  assert.deepEqual(await service.database.tables.accounts.leaving(), []);
  const { connection } = service.database;
  for (const table of ['api_keys', 'usage_events', 'request_log', 'uploads'] as const) {
    const rows = await connection
      .selectFrom(table)
      .select('account_id')
      .where('account_id', '=', person.accountId)
      .execute();
    assert.deepEqual(rows, [], table);
  }
});

test('the history of an account is deleted in steps', async () => {
  const { accounts, requestLog } = service.database.tables;
  const person = await signedInVisitor(service);
  await requestLog.insert(
    Array.from({ length: 25 }, (_, index) => ({
      id: `step-${index}`,
      account_id: person.accountId,
      key_id: null,
      path: '/api/v1/upload',
      kind: 'upload' as const,
      status: 201,
      code: null,
      reason: null,
      field: null,
      duration_ms: 1,
      created_at: index,
      phases: null,
      made: null,
    })),
  );
  assert.equal(await accounts.purgeHistory(person.accountId, 10), 10);
  assert.equal(await accounts.purgeHistory(person.accountId, 10), 10);
  assert.equal(await accounts.purgeHistory(person.accountId, 10), 5);
});

test('health shows version, disk, memory, queue and the age of the browser', async () => {
  // The browser of a test starts when it is first asked.
  assert.equal((await fetch(`${service.origin}/readyz`)).status, 200);
  const { body } = await owner.call('GET /admin/health');
  assert.match(body.version, /^\d+\.\d+\.\d+$/);
  // With both elsewhere, nothing is kept on a disk of this machine.
  if (isOnServers()) assert.equal(body.disk, null);
  else assert.ok(body.disk && body.disk.free_bytes > 0 && body.disk.free_bytes < body.disk.total_bytes);
  assert.ok(body.memory.used_bytes > 1e7 && body.memory.used_bytes < body.memory.machine_total_bytes);
  const database = isOnServers() ? 'Postgres' : 'SQLite';
  assert.deepEqual([body.browser.running, body.browser.waiting, body.database], [0, 0, database]);
  const release = releaseOf(body.browser.version);
  assert.equal(body.browser.released_at, release.toISOString());
  assert.equal(body.browser.is_old, isOld(release, service.clock.now()));
});
