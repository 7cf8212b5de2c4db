// Link keys of an account: made, named and revoked on the page and on the command line, in the audit log, and in no list with their
// secret.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { limits } from '#core/limits.ts';
import { command } from '#test/support/commands.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const payload = Buffer.from('{"html":"<p>Hello","format":"text"}').toString('base64url');
async function statusOf(id: string, secret: string): Promise<number> {
  const signature = createHmac('sha256', secret).update(`v2.${payload}`).digest('base64url');
  return (await fetch(`${service.origin}/r/${id}/${payload}/${signature}`)).status;
}

test('a link key is made, renamed and revoked; its secret is shown once; each act is in the audit log', async () => {
  const visitor = await signedInVisitor(service);
  const { status, body: made } = await visitor.call('POST /link-keys', { body: { name: 'website' } });
  assert.equal(status, 201);
  assert.match(made.key.id, /^lk_\w{20}$/);
  assert.match(made.secret, /^lksec_\w{43}$/);
  assert.equal(await statusOf(made.key.id, made.secret), 200);
  const renamed = await visitor.call('PATCH /link-keys/:id', { id: made.key.id, body: { name: 'blog' } });
  assert.equal(renamed.body.name, 'blog');
  const { body: listed } = await visitor.call('GET /link-keys');
  assert.deepEqual(listed.items, [{ ...made.key, name: 'blog' }]);
  assert.ok(!JSON.stringify(listed).includes(made.secret));
  assert.equal((await visitor.call('POST /link-keys/:id/revoke', { id: made.key.id })).status, 200);
  assert.equal(await statusOf(made.key.id, made.secret), 404);
  assert.deepEqual((await visitor.call('GET /link-keys')).body.items, []);
  assert.equal((await visitor.call('POST /link-keys/:id/revoke', { id: made.key.id })).status, 404);
  const acts = await service.database.connection
    .selectFrom('audit_log')
    .selectAll()
    .where('actor_id', '=', visitor.accountId)
    .orderBy('created_at')
    .execute();
  assert.deepEqual(
    acts.map(({ action, detail }) => [action, JSON.parse(detail)]),
    [
      ['link_key.create', { id: made.key.id, name: 'website' }],
      ['link_key.revoke', { id: made.key.id, name: 'blog' }],
    ],
  );
  assert.ok(!JSON.stringify(service.logLines()).includes(made.secret));
});

test('an account has so many link keys and no more', async () => {
  const visitor = await signedInVisitor(service);
  const make = () => visitor.call('POST /link-keys', { body: { name: 'one of many' } });
  for (let count = 0; count < limits.linkKeys; count += 1) assert.equal((await make()).status, 201);
  const { status, body } = await make();
  assert.equal(status, 422);
  assert.match(body.error?.message ?? '', /at most 25 link keys; revoke one/);
  const { items } = (await visitor.call('GET /link-keys')).body;
  for (const { id } of items) await visitor.call('POST /link-keys/:id/revoke', { id });
  await make();
  const acts = await service.database.connection
    .selectFrom('audit_log')
    .select('action')
    .where('actor_id', '=', visitor.accountId)
    .execute();
  assert.equal(acts.length, 50, 'an account cannot fill the audit log');
});

test('the command line makes, lists and revokes link keys', async () => {
  const { email } = await service.newKey();
  const run = (...args: string[]) => command([...args, '--json'], service.environment);
  const made = await run('link-key', 'create', '--account', email, '--name', 'build');
  const { key: id, secret } = JSON.parse(made.stdout) as { key: string; secret: string };
  assert.equal(await statusOf(id, secret), 200);
  const listed = await run('link-key', 'list', '--account', email);
  assert.deepEqual(
    (JSON.parse(listed.stdout) as { name: string }[]).map(({ name }) => name),
    ['build'],
  );
  assert.ok(!listed.stdout.includes(secret));
  assert.equal((await run('link-key', 'revoke', id)).code, 0);
  assert.equal(await statusOf(id, secret), 404);
  const again = await run('link-key', 'revoke', id);
  assert.deepEqual([again.code, /there is no link key/.test(again.stderr)], [1, true]);
});
