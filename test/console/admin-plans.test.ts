// The plans that an owner makes, changes and deletes. test/metering/admission.test.ts has the other machines.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { builtInPlans, type Plan } from '#accounts/plans.ts';
import { parsePlans } from '#roof/config-forms.ts';
import { png } from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';

const planOf = (id: string, change: Partial<Plan> = {}): Plan => ({
  id,
  name: 'Team',
  uploads_per_month: 2,
  renders_per_month: 3,
  requests_per_minute: 1_000,
  concurrent_renders: 1,
  queued_renders: 5,
  overages: false,
  paid: true,
  max_link_seconds: 3_600,
  ...change,
});

let service: TestService;
let owner: Awaited<ReturnType<typeof signedInVisitor>>;
let folder: string;
let image: Buffer;
before(async () => {
  image = await png();
  folder = await mkdtemp(join(tmpdir(), 'tintype-plans-'));
  await writeFile(
    join(folder, 'plans.json'),
    JSON.stringify({ plans: [planOf('filed'), planOf('starter')] }),
  );
  service = await startService({ PLANS_FILE: join(folder, 'plans.json') });
  owner = await signedInVisitor(service, { owner: true });
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const listed = async (id: string) =>
  (await owner.call('GET /admin/plans')).body.items.find((plan) => plan.id === id);
const newest = async () => {
  const [act] = (await owner.call('GET /admin/audit')).body.items;
  return [act?.actor, act?.action, act?.detail];
};

test('a plan is made, changed and deleted; its accounts have the new limits with the next request, and each change is recorded', async () => {
  const made = await owner.call('POST /admin/plans', { body: planOf('team') });
  assert.equal(made.status, 201);
  assert.deepEqual(await listed('team'), {
    ...planOf('team'),
    source: 'dashboard',
    built_in: false,
    accounts: 0,
  });
  assert.deepEqual(await newest(), [owner.email, 'plan.create', planOf('team')]);

  const person = await signedInVisitor(service, { plan: 'team' });
  const { body: key } = await person.call('POST /keys', { body: { name: 'a' } });
  const upload = () =>
    post<{ expires_at: string }>(`${service.origin}/api/v1/upload`, {
      headers: bearer(key.secret),
      body: formOf([[image, 'a.png']]),
    });
  const { status, headers } = await upload();
  assert.deepEqual(
    [status, headers.get('x-service-quota-limit'), headers.get('x-service-ratelimit-limit')],
    [201, '2', '1000'],
  );
  assert.deepEqual([(await upload()).status, (await upload()).status], [201, 402]);

  const change = { name: 'Teams', uploads_per_month: 3, requests_per_minute: 900 };
  const { body: changed } = await owner.call('PATCH /admin/plans/:id', { id: 'team', body: change });
  assert.deepEqual(changed, planOf('team', change));
  assert.deepEqual(await newest(), [owner.email, 'plan.update', { id: 'team', ...change }]);
  const next = await upload();
  assert.deepEqual(
    [
      next.status,
      next.headers.get('x-service-quota-limit'),
      next.headers.get('x-service-ratelimit-limit'),
      (await upload()).status,
    ],
    [201, '3', '900', 402],
  );
  assert.equal((await person.call('GET /session')).body.signed_in?.plan.name, 'Teams');
  assert.equal((await person.call('GET /overview')).body.units.upload.limit, 3);
  assert.match(await (await fetch(`${service.origin}/docs`)).text(), /<td>Teams<\/td>/);
  assert.match(await (await fetch(`${service.origin}/docs/search.json`)).text(), /Teams/);

  const used = await owner.call('DELETE /admin/plans/:id', { id: 'team' });
  assert.deepEqual(
    [used.status, used.body.error.message],
    [422, 'id: one account is on this plan; move it to another first'],
  );
  await owner.call('PATCH /admin/accounts/:id', { id: person.accountId, body: { plan: 'free' } });
  assert.equal((await owner.call('DELETE /admin/plans/:id', { id: 'team' })).status, 200);
  assert.deepEqual(await newest(), [owner.email, 'plan.delete', { id: 'team' }]);
  assert.equal(await listed('team'), undefined);
  assert.equal((await owner.call('DELETE /admin/plans/:id', { id: 'team' })).status, 404);
  assert.doesNotMatch(await (await fetch(`${service.origin}/docs`)).text(), /<td>Teams<\/td>/);
});

test('a built-in plan can be changed and reset, but not deleted', async () => {
  const free = builtInPlans[0]!;
  const person = await signedInVisitor(service, { plan: 'free' });
  const limit = async () => (await person.call('GET /overview')).body.units.render.limit;
  assert.equal(await limit(), free.renders_per_month);
  const early = await owner.call('DELETE /admin/plans/:id', { id: 'free' });
  assert.match(early.body.error.message, /^id: .*built in/);

  const same = await owner.call('PATCH /admin/plans/:id', {
    id: 'free',
    body: { name: free.name, queued_renders: 100 },
  });
  assert.deepEqual([same.status, (await listed('free'))?.source], [200, 'built-in'], 'nothing has changed');
  await owner.call('PATCH /admin/plans/:id', { id: 'free', body: { renders_per_month: 7 } });
  assert.equal(await limit(), 7);
  const shown = await listed('free');
  assert.deepEqual([shown?.source, shown?.built_in, shown?.name], ['dashboard', true, 'Free']);

  assert.equal((await owner.call('DELETE /admin/plans/:id', { id: 'free' })).status, 200);
  assert.deepEqual(await newest(), [owner.email, 'plan.reset', { id: 'free' }]);
  assert.equal(await limit(), free.renders_per_month);
  assert.equal((await listed('free'))?.source, 'built-in');
});

test('a plan of the file stays what the file says', async () => {
  for (const id of ['filed', 'starter']) {
    const shown = await listed(id);
    assert.deepEqual(
      [shown?.source, shown?.uploads_per_month, shown?.built_in],
      ['file', 2, id === 'starter'],
    );
    for (const refused of [
      await owner.call('PATCH /admin/plans/:id', { id, body: { name: 'Other' } }),
      await owner.call('DELETE /admin/plans/:id', { id }),
    ]) {
      assert.equal(refused.status, 422);
      assert.match(refused.body.error.message, /^id: .*PLANS_FILE; change it there/);
    }
  }
});

test('a plan that is not valid is refused with the field, in the words of the plans file', async () => {
  const { name: _name, ...nameless } = planOf('wrong');
  const rows: [given: object, field: string][] = [
    [planOf('two words'), 'id'],
    [nameless, 'name'],
    [planOf('wrong', { name: '' }), 'name'],
    [planOf('wrong', { uploads_per_month: -1 }), 'uploads_per_month'],
    [planOf('wrong', { renders_per_month: 1.5 }), 'renders_per_month'],
    [planOf('wrong', { requests_per_minute: 0 }), 'requests_per_minute'],
    [planOf('wrong', { concurrent_renders: 1_000_000_001 }), 'concurrent_renders'],
    [planOf('wrong', { max_link_seconds: 0 }), 'max_link_seconds'],
    [{ ...planOf('wrong'), colour: 'red' }, 'colour'],
  ];
  for (const [given, field] of rows) {
    const { status, body } = await owner.call('POST /admin/plans', { body: given });
    const { message } = body.error;
    assert.deepEqual([status, message.split(':')[0]], [422, field]);
    assert.throws(
      () => parsePlans(JSON.stringify({ plans: [given] })),
      (error: Error) => error.message.replaceAll('plans[0].', '') === message,
    );
  }
  for (const id of ['free', 'filed']) {
    const taken = await owner.call('POST /admin/plans', { body: planOf(id) });
    assert.equal(taken.body.error.message, `id: there is already a plan "${id}"`);
  }
  const renamed = await owner.call('PATCH /admin/plans/:id', { id: 'pro', body: { id: 'professional' } });
  assert.match(renamed.body.error.message, /^id: unknown field/);
  assert.equal(await listed('wrong'), undefined);
});
