// The owner's pages, the export, and deleting one's own account.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { readBlob } from '#storage/blobs.ts';
import { openBlobs } from '#roof/engines.ts';
import { png, pngOfSize } from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { createVisitor, loggedToken, password, signedInVisitor } from '#test/support/visitor.ts';

let service: TestService;
let owner: Awaited<ReturnType<typeof signedInVisitor>>;
before(async () => {
  service = await startService();
  owner = await signedInVisitor(service, { owner: true });
});
after(() => service.stop());

test('the owner suspends an account: its keys and links stop working, and the person sees the reason', async () => {
  const person = await signedInVisitor(service);
  const { body: key } = await person.call('POST /keys', { body: { name: 'a' } });
  const upload = async () =>
    post<{ file_url: string }>(`${service.origin}/api/v1/upload`, {
      headers: bearer(key.secret),
      body: formOf([[await png(), 'a.png']]),
    });
  const link = service.origin + new URL((await upload()).body.file_url).pathname;

  const without = await owner.call('PATCH /admin/accounts/:id', {
    id: person.accountId,
    body: { suspended: true },
  });
  assert.match(without.body.error.message, /^suspended_reason: /);
  const { body } = await owner.call('PATCH /admin/accounts/:id', {
    id: person.accountId,
    body: { suspended: true, suspended_reason: 'Spam.' },
  });
  assert.deepEqual([body.suspended, body.suspended_reason, body.usage.upload.used], [true, 'Spam.', 1]);
  assert.deepEqual([(await upload()).status, (await fetch(link)).status], [401, 404]);
  assert.equal((await person.call('GET /session')).body.signed_in?.suspended_reason, 'Spam.');

  await owner.call('PATCH /admin/accounts/:id', {
    id: person.accountId,
    body: { suspended: false, plan: 'starter' },
  });
  assert.deepEqual([(await upload()).status, (await fetch(link)).status], [201, 200]);

  const { body: audit } = await owner.call('GET /admin/audit');
  assert.deepEqual(
    audit.items.map(({ actor, action, target, detail }) => [actor, action, target, detail]),
    [
      [owner.email, 'account.reinstate', person.email, { suspended: false, plan: 'starter' }],
      [owner.email, 'account.suspend', person.email, { suspended: true, suspendedReason: 'Spam.' }],
    ],
  );
  const oneself = await owner.call('PATCH /admin/accounts/:id', {
    id: owner.accountId,
    body: { suspended: true, suspended_reason: 'x' },
  });
  assert.equal(oneself.status, 422);
});

test('the owner looks into an account: numbers and names, no secrets; each look is in the audit log', async () => {
  const person = await signedInVisitor(service, { plan: 'starter' });
  const { body: made } = await person.call('POST /keys', { body: { name: 'laptop', scope: 'uploads' } });
  const picture = await png();
  await post(`${service.origin}/api/v1/upload`, {
    headers: bearer(made.secret),
    body: formOf([[picture, 'private name.png']]),
  });
  await owner.call('PATCH /admin/accounts/:id', {
    id: person.accountId,
    body: { allowed_hosts: 'wiki.corp:443' },
  });

  const { status, body } = await owner.call('GET /admin/accounts/:id', { id: person.accountId });
  assert.equal(status, 200);
  assert.deepEqual(
    [body.account.email, body.account.allowed_hosts, body.month.plan.id, body.month.units.upload.used],
    [person.email, ['wiki.corp:443'], 'starter', 1],
  );
  assert.deepEqual(body.recent, { days: 30, upload: 1, render: 0 });
  assert.deepEqual(
    [body.stored.uploads.files, body.stored.uploads.bytes, body.stored.renders.files],
    [1, picture.length, 0],
  );
  const [key] = body.keys;
  assert.deepEqual([key?.name, key?.scope, key?.state], ['laptop', 'uploads', 'active']);
  assert.equal(typeof key?.last_used_at, 'string');
  const text = JSON.stringify(body);
  for (const hidden of [made.secret, made.key.display, 'private name'])
    assert.ok(!text.includes(hidden), hidden);

  const { body: audit } = await owner.call('GET /admin/audit', { query: { limit: '1' } });
  const { actor, action, target } = audit.items[0]!;
  assert.deepEqual([actor, action, target], [owner.email, 'account.look', person.email]);
  assert.equal((await owner.call('GET /admin/accounts/:id', { id: 'nobody' })).status, 404);
});

test('an account is not created when its row in the audit log cannot be written', async () => {
  const email = `unlogged-${crypto.randomUUID()}@example.com`;
  const { connection } = service.database;
  await connection.schema.alterTable('audit_log').renameTo('audit_log_away').execute();
  try {
    const made = await owner.call('POST /admin/accounts', { body: { email, plan: 'pro' } });
    assert.equal(made.status, 500);
  } finally {
    await connection.schema.alterTable('audit_log_away').renameTo('audit_log').execute();
  }
  assert.equal(await service.database.tables.accounts.byEmail(email), undefined);
});

test('the owner creates an account, and its person signs in with the link that was sent', async () => {
  const email = `invited-${crypto.randomUUID()}@example.com`;
  const made = await owner.call('POST /admin/accounts', { body: { email, plan: 'pro' } });
  assert.deepEqual([made.status, made.body.account.plan, made.body.mail], [201, 'pro', 'logged']);
  const visitor = createVisitor(service);
  const session = await visitor.call('POST /welcome', { body: { token: await loggedToken(service, email) } });
  assert.deepEqual([session.body.email, session.body.verified], [email, true]);
  const twice = await owner.call('POST /admin/accounts', { body: { email, plan: 'pro' } });
  assert.equal(twice.body.error.code, 'validation_error');
  const { body } = await owner.call('GET /admin/accounts', { query: { search: 'INVITED', limit: '1' } });
  assert.deepEqual(
    body.items.map((item) => item.email),
    [email],
  );
  assert.ok(body.plans.some(({ id }) => id === 'pro'));
});

test('overages of a month, as a list and as CSV', async () => {
  const person = await signedInVisitor(service);
  const month = new Date(service.clock.now()).toISOString().slice(0, 7);
  const counter = { accountId: person.accountId, unit: 'upload' as const, month };
  await service.database.tables.usage.take(counter, 0, Infinity);
  const { body } = await owner.call('GET /admin/overages');
  assert.deepEqual(body.items, [
    { account_id: person.accountId, email: person.email, plan: 'business', upload: 1, render: 0 },
  ]);
  const csv = await (await owner.raw('GET /admin/overages.csv', { query: { month } })).text();
  assert.equal(csv.split('\r\n')[1], `${month},${person.accountId},${person.email},business,1,0`);
  assert.equal((await owner.call('GET /admin/overages', { query: { month: '2026-13' } })).status, 422);
});

test('health: every part responds, and stored items are counted', async () => {
  // The browser of a test starts when it is first asked.
  assert.equal((await fetch(`${service.origin}/readyz`)).status, 200);
  const { body } = await owner.call('GET /admin/health');
  assert.deepEqual(
    body.checks.map(({ name, state }) => [name, state]),
    [
      ['database', 'ok'],
      ['storage', 'ok'],
      ['browser', 'ok'],
    ],
  );
  assert.ok(body.stored.uploads > 0 && body.stored.upload_bytes > 0);
  assert.match(body.browser.version, /\d/);
});

test('an account has one export at a time; the next may begin when it has ended or was cancelled', async () => {
  const person = await signedInVisitor(service);
  const form = new FormData();
  // More than fits into the buffers of a connection.
  form.append('file', new Blob([new Uint8Array(await pngOfSize(9_000_000))]), 'a.png');
  assert.equal((await person.raw('POST /uploads', { form })).status, 201);
  const first = await person.raw('GET /export');
  assert.equal(first.status, 200);
  const second = await person.raw('GET /export');
  assert.equal(second.status, 429);
  assert.match(await second.text(), /already being downloaded/);
  await first.body!.cancel();
  await waitFor('the next export to begin', async () => {
    const next = await person.raw('GET /export');
    await next.arrayBuffer();
    return next.status === 200;
  });
});

test('the export holds every list and every file, as a tar that tar can read', async () => {
  const person = await signedInVisitor(service);
  const image = await png();
  await person.call('POST /uploads', { form: formOf([[image, 'mine.png']]) });
  const { body: key } = await person.call('POST /keys', { body: { name: 'exported' } });
  await post(`${service.origin}/api/v1/upload`, { headers: bearer(key.secret) });
  const folder = await mkdtemp(join(tmpdir(), 'tintype-export-'));
  try {
    const response = await person.raw('GET /export');
    await writeFile(join(folder, 'export.tar'), Buffer.from(await response.arrayBuffer()));
    await promisify(execFile)('tar', ['-xf', 'export.tar'], { cwd: folder });
    const names = await readdir(folder, { recursive: true });
    const [picture = ''] = names.filter((name) => /^uploads\/\w+\.png$/.test(name));
    assert.deepEqual(await readFile(join(folder, picture)), image);
    const read = async (pattern: RegExp) =>
      readFile(join(folder, names.find((name) => pattern.test(name)) ?? 'missing'), 'utf8');
    assert.match(await read(/^account\.json$/), new RegExp(person.email));
    assert.match(await read(/^uploads-.*jsonl$/), /"filename":"mine\.png"/);
    assert.match(await read(/^keys\.jsonl$/), /"name":"exported"/);
    assert.match(await read(/^requests-.*jsonl$/), /"status":422/);
    assert.match(await read(/^usage-\d.*jsonl$/), /"unit":"upload"/);
    const everything = await Promise.all(
      names.filter((name) => name.endsWith('l')).map((name) => readFile(join(folder, name), 'utf8')),
    );
    assert.equal(/hash/.test(everything.join('')), false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a deleted account leaves no row and no file, and its address can be used again', async () => {
  const person = await signedInVisitor(service);
  await owner.call('PATCH /admin/accounts/:id', { id: person.accountId, body: { plan: 'pro' } });
  const { body: key } = await person.call('POST /keys', { body: { name: 'a' } });
  const { body: upload } = await post<{ id: string; file_url: string }>(`${service.origin}/api/v1/upload`, {
    headers: bearer(key.secret),
    body: formOf([[await png(), 'a.png']]),
  });
  await person.call('GET /requests');
  const wrong = await person.call('POST /delete-account', {
    body: { email: person.email, current_password: 'not the password' },
  });
  assert.match(wrong.body.error.message, /^current_password: /);
  const blobs = await openBlobs(service.config, 'uploads');
  assert.ok(await readBlob(blobs, upload.id));

  const { status } = await person.call('POST /delete-account', {
    body: { email: person.email, current_password: password },
  });
  assert.equal(status, 200);
  assert.equal(await blobs.open(upload.id), undefined);
  assert.deepEqual(await rowsNaming(service, [person.accountId, person.email, key.key.id]), []);
  assert.equal((await person.call('GET /session')).body.signed_in, null);
  assert.equal((await fetch(service.origin + new URL(upload.file_url).pathname)).status, 404);
  assert.ok(await service.accounts.create(person.email));

  const last = await owner.call('POST /delete-account', {
    body: { email: owner.email, current_password: password },
  });
  assert.match(last.body.error.message, /only owner/);
});

/** Searches every column of every table. */
async function rowsNaming({ database }: TestService, texts: string[]): Promise<string[]> {
  const tables = await database.connection.introspection.getTables();
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await database.connection
        .selectFrom(name as 'accounts')
        .selectAll()
        .execute();
      return rows.map((row) => `${name} ${JSON.stringify(row)}`);
    }),
  );
  return found.flat().filter((row) => texts.some((text) => row.includes(text)));
}
