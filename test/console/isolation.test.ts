// Checks every route of the contract: nothing without a session, nothing from another site, nothing of another account. A new
// route must be added to one of the tables below before this passes.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { builtInPlans } from '#accounts/plans.ts';
import { dashboardRoutes, type RouteName } from '#console/contract.ts';
import { png } from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import {
  createVisitor,
  password,
  signedInVisitor,
  type CallOptions,
  type Visitor,
} from '#test/support/visitor.ts';

interface Things {
  email: string;
  accountId: string;
  uploadId: string;
  albumId: string;
  uploadLinkId: string;
  renderId: string;
  keyId: string;
  sessionId: string;
  passkeyId: string;
  requestId: string;
  linkKeyId: string;
  endpointId: string;
  deliveryId: string;
}

const names = Object.keys(dashboardRoutes) as RouteName[];
const isPublic = (name: RouteName): boolean => dashboardRoutes[name].access === 'public';
const changes = (name: RouteName): boolean => !name.startsWith('GET');

/** Routes that take an id: requests with which a stranger would try to reach the victim's. */
const reaching: Partial<Record<RouteName, (things: Things) => CallOptions>> = {
  'DELETE /sessions/:id': ({ sessionId }) => ({ id: sessionId }),
  'DELETE /passkeys/:id': ({ passkeyId }) => ({ id: passkeyId, body: { current_password: password } }),
  'POST /uploads/delete': ({ uploadId }) => ({ body: { ids: [uploadId] } }),
  'POST /uploads/restore': ({ uploadId }) => ({ body: { ids: [uploadId] } }),
  'POST /uploads/purge': ({ uploadId }) => ({ body: { ids: [uploadId] } }),
  'GET /uploads/:id': ({ uploadId }) => ({ id: uploadId }),
  'PATCH /uploads/:id': ({ uploadId }) => ({ id: uploadId, body: { expires_in: 60 } }),
  'DELETE /uploads/:id': ({ uploadId }) => ({ id: uploadId }),
  'GET /uploads/:id/thumbnail': ({ uploadId }) => ({ id: uploadId }),
  'POST /uploads/expiry': ({ uploadId }) => ({ body: { ids: [uploadId], expires_in: 60 } }),
  'POST /uploads/move': ({ uploadId }) => ({ body: { ids: [uploadId], album: null } }),
  'POST /uploads/tag': ({ uploadId }) => ({ body: { ids: [uploadId], tag: 'taken over' } }),
  'PATCH /albums/:id': ({ albumId }) => ({ id: albumId, body: { title: 'taken over' } }),
  'DELETE /albums/:id': ({ albumId }) => ({ id: albumId }),
  'DELETE /upload-links/:id': ({ uploadLinkId }) => ({ id: uploadLinkId }),
  'GET /uploads/zip': ({ uploadId }) => ({ query: { ids: uploadId } }),
  'GET /renders/:id': ({ renderId }) => ({ id: renderId }),
  'GET /renders/:id/thumbnail': ({ renderId }) => ({ id: renderId }),
  'GET /renders/:id/receipt': ({ renderId }) => ({ id: renderId }),
  'POST /renders/:id/host': ({ renderId }) => ({ id: renderId }),
  'POST /renders/restore': ({ renderId }) => ({ body: { ids: [renderId] } }),
  'POST /renders/purge': ({ renderId }) => ({ body: { ids: [renderId] } }),
  'POST /renders/delete': ({ renderId }) => ({ body: { ids: [renderId] } }),
  'DELETE /renders/:id': ({ renderId }) => ({ id: renderId }),
  'PATCH /keys/:id': ({ keyId }) => ({ id: keyId, body: { name: 'taken over' } }),
  'POST /keys/:id/rotate': ({ keyId }) => ({ id: keyId, body: { grace_seconds: 0 } }),
  'POST /keys/:id/revoke': ({ keyId }) => ({ id: keyId }),
  'PATCH /link-keys/:id': ({ linkKeyId }) => ({ id: linkKeyId, body: { name: 'taken over' } }),
  'POST /link-keys/:id/revoke': ({ linkKeyId }) => ({ id: linkKeyId }),
  'PATCH /webhooks/:id': ({ endpointId }) => ({ id: endpointId, body: { events: ['quota.warning'] } }),
  'DELETE /webhooks/:id': ({ endpointId }) => ({ id: endpointId }),
  'GET /webhooks/deliveries/:id': ({ deliveryId }) => ({ id: deliveryId }),
  'POST /webhooks/deliveries/:id/send': ({ deliveryId }) => ({ id: deliveryId }),
  'GET /admin/accounts': () => ({}),
  'POST /admin/accounts': () => ({ body: { email: 'somebody@example.com', plan: 'free' } }),
  'GET /admin/accounts/:id': ({ accountId }) => ({ id: accountId }),
  'PATCH /admin/accounts/:id': ({ accountId }) => ({ id: accountId, body: { plan: 'free' } }),
  'POST /admin/accounts/:id/link': ({ accountId }) => ({ id: accountId, body: { kind: 'password' } }),
  'POST /admin/accounts/:id/delete': ({ accountId }) => ({ id: accountId, body: { email: 'x@example.com' } }),
  'GET /admin/plans': () => ({}),
  'POST /admin/plans': () => ({ body: { ...builtInPlans[0], id: 'taken' } }),
  'PATCH /admin/plans/:id': () => ({ id: 'free', body: { uploads_per_month: 1_000_000 } }),
  'DELETE /admin/plans/:id': () => ({ id: 'free' }),
  'GET /admin/settings': () => ({}),
  'PATCH /admin/settings': () => ({ body: { signups: 'open' } }),
  'POST /admin/settings/test-mail': () => ({}),
  'GET /admin/overages': () => ({}),
  'GET /admin/overages.csv': () => ({}),
  'GET /admin/health': () => ({}),
  'GET /admin/audit': () => ({}),
};

/** Routes that list the caller's items: none of the victim's may be among them. */
const showing: Partial<Record<RouteName, (things: Things) => CallOptions>> = {
  'GET /sessions': () => ({}),
  'GET /second-factors': () => ({}),
  'GET /export': () => ({}),
  'GET /overview': () => ({}),
  'GET /uploads/deleted': () => ({}),
  'GET /uploads/totals': () => ({ query: { search: 'victim' } }),
  'GET /uploads/ids': () => ({ query: { search: 'victim' } }),
  'GET /uploads/tags': () => ({}),
  'GET /albums': () => ({}),
  'GET /upload-links': () => ({}),
  'GET /renders/ids': () => ({ query: { search: 'victim' } }),
  'GET /renders/deleted': () => ({}),
  'GET /uploads': () => ({ query: { search: 'victim' } }),
  'GET /renders': () => ({ query: { search: 'victim' } }),
  'GET /keys': () => ({}),
  'GET /link-keys': () => ({}),
  'GET /webhooks': () => ({}),
  'GET /webhooks/deliveries': ({ endpointId }) => ({ query: { endpoint_id: endpointId } }),
  'GET /usage': () => ({}),
  'GET /usage.csv': () => ({}),
  'GET /requests': ({ keyId }) => ({ query: { key_id: keyId } }),
};

/** Routes without an id: only the session decides whose data they change. */
const onOneself: RouteName[] = [
  'POST /sign-out',
  'POST /verify-email/send',
  'POST /verify-email',
  'PATCH /profile',
  'POST /change-email',
  'POST /change-password',
  'POST /sessions/sign-out-others',
  'POST /codes/start',
  'POST /codes/confirm',
  'POST /codes/recovery',
  'POST /codes/stop',
  'POST /oidc/link',
  'POST /oidc/unlink',
  'POST /passkeys/start',
  'POST /passkeys',
  'POST /delete-account',
  'POST /uploads',
  'POST /playground/upload',
  'POST /playground/screenshot',
  'POST /playground/pdf',
  'POST /playground/render',
  'POST /keys',
  'POST /integrations',
  'POST /link-keys',
  'POST /albums',
  'POST /upload-links',
  'POST /webhooks',
  'POST /webhooks/rotate-secret',
  'PATCH /overages',
];

let service: TestService;
let victim: Visitor & { email: string };
let stranger: Visitor;
let things: Things;
/** What the victim has, before the first attempt and after the last. */
let untouched: unknown;

before(async () => {
  service = await startService({ EGRESS_ALLOW: '127.0.0.2' });
  // To noon: usage is shown by days, and ten minutes of the service pass in these tests.
  const day = 86_400_000;
  await service.clock.advance(day - ((service.clock.now() + day / 2) % day));
  const signedIn = await signedInVisitor(service);
  victim = signedIn;
  stranger = await signedInVisitor(service);
  const { accountId, email } = signedIn;
  const { body: key } = await victim.call('POST /keys', { body: { name: 'the key of the victim' } });
  const { body: album } = await victim.call('POST /albums', { body: { title: 'the album of the victim' } });
  const { body: uploadLink } = await victim.call('POST /upload-links', { body: { album: album.id } });
  const { body: linkKey } = await victim.call('POST /link-keys', {
    body: { name: 'the link key of the victim' },
  });
  const { body: hook } = await victim.call('POST /webhooks', {
    body: { url: 'https://127.0.0.2/victim', events: ['upload.created'] },
  });
  const { body: upload, headers } = await post<{ id: string }>(`${service.origin}/api/v1/upload`, {
    headers: bearer(key.secret),
    body: formOf([[await png(), 'victim.png']]),
  });
  const passkeyId = 'victimspasskey000000';
  const passkey = {
    id: passkeyId,
    person_id: accountId,
    name: "the victim's passkey",
    credential_id: 'x',
    public_key: 'x',
    counter: 0,
    device_type: 'singleDevice',
    backed_up: 0,
  };
  await service.database.connection
    .insertInto('passkeys' as 'accounts')
    .values(passkey as never)
    .execute();
  const renderId = 'victimsrender0000000';
  await service.database.tables.renders.insert({
    id: renderId,
    account_id: accountId,
    key_id: key.key.id,
    kind: 'pdf',
    target: 'https://victim.example/',
    failure: null,
    options: '{}',
    content_type: 'application/pdf',
    size_bytes: 1,
    duration_ms: 1,
    sha256: null,
    hosted: 0,
    created_at: service.clock.now(),
    // Kept for a replay, so that its owner could host it.
    expires_at: service.clock.now() + 86_400_000,
    deleted_at: null,
    reference: null,
    units: 1,
    outputs: 1,
    receipt: null,
    finished_at: null,
    cache_key: null,
    state: 'ended',
  });
  const { body: sessions } = await victim.call('GET /sessions');
  const { body: deliveries } = await victim.call('GET /webhooks/deliveries');
  things = {
    email,
    accountId,
    uploadId: upload.id,
    albumId: album.id,
    uploadLinkId: uploadLink.id,
    renderId,
    keyId: key.key.id,
    passkeyId,
    sessionId: sessions.items[0]?.id ?? '',
    requestId: headers.get('x-request-id') ?? '',
    linkKeyId: linkKey.key.id,
    endpointId: hook.endpoint.id,
    deliveryId: deliveries.items[0]?.id ?? '',
  };
  untouched = await belongings();
});
after(() => service.stop());
// So many routes are more requests than a person has in a minute.
beforeEach(() => service.clock.advance(2_000));

/** The victim's data, to check that it is unchanged. */
async function belongings(): Promise<unknown> {
  const [uploads, renders, keys, session, usage, webhooks, linkKeys, albums, uploadLinks] = await Promise.all(
    [
      victim.call('GET /uploads'),
      victim.call('GET /renders'),
      victim.call('GET /keys'),
      victim.call('GET /session'),
      victim.call('GET /usage'),
      victim.call('GET /webhooks'),
      victim.call('GET /link-keys'),
      victim.call('GET /albums'),
      victim.call('GET /upload-links'),
    ],
  );
  const answers = [uploads, renders, keys, session, usage, webhooks, linkKeys, albums, uploadLinks];
  return answers.map(({ body }) => body);
}

test('every route is in one of the tables', () => {
  const known = [...Object.keys(reaching), ...Object.keys(showing), ...onOneself];
  assert.deepEqual(names.filter((name) => !isPublic(name)).toSorted(), known.toSorted());
  const withThing = names.filter((name) => name.includes('/:id'));
  assert.deepEqual(
    withThing.filter((name) => !(name in reaching)),
    [],
  );
});

for (const name of names.filter((candidate) => !isPublic(candidate))) {
  test(`${name}: 401 without a session, with the rate-limit headers`, async () => {
    const { status, body, headers } = await createVisitor(service).call(name, reaching[name]?.(things) ?? {});
    assert.deepEqual([status, body.error.code], [401, 'unauthorized']);
    assert.ok(headers.has('x-service-ratelimit-remaining'));
  });
}

for (const [name, reach] of Object.entries(reaching)) {
  test(`${name}: 404 for a stranger`, async () => {
    const { status, body } = await stranger.call(name as RouteName, reach(things));
    assert.deepEqual([status, body.error.code], [404, 'not_found']);
  });
}
test('what a stranger asks for changes nothing', async () => assert.deepEqual(await belongings(), untouched));

for (const [name, show] of Object.entries(showing)) {
  test(`${name}: shows a stranger nothing of the victim's`, async () => {
    const response = await stranger.raw(name as RouteName, show(things));
    assert.equal(response.status, 200);
    const text = await response.text();
    assert.deepEqual(
      Object.entries(things).filter(([, value]) => text.includes(value)),
      [],
    );
  });
}

for (const name of names.filter(changes)) {
  test(`${name}: refused from another site, from none, and from a frame without origin`, async () => {
    const options = reaching[name]?.(things) ?? {};
    for (const origin of ['https://evil.example', 'null', null]) {
      const { status, body } = await victim.call(name, {
        // Also as the form that a foreign page could post with the victim's cookie.
        body: { email: things.email, password, current_password: password, name: 'x' },
        ...options,
        origin,
      });
      assert.deepEqual([status, body.error.code], [401, 'unauthorized'], `origin ${origin}`);
    }
  });
}
test('what is asked from elsewhere changes nothing', async () =>
  assert.deepEqual(await belongings(), untouched));

test('an origin on the same host is the dashboard, whatever BASE_URL says', async () => {
  const { status } = await victim.call('PATCH /profile', { body: { name: 'Ada' }, origin: service.origin });
  assert.equal(status, 200);
});

test('a route under /api/dashboard that does not exist: 404; another method: 405', async () => {
  const missing = await fetch(`${service.origin}/api/dashboard/nothing`);
  assert.equal(missing.status, 404);
  const method = await fetch(`${service.origin}/api/dashboard/overview`, { method: 'PUT' });
  assert.deepEqual([method.status, method.headers.get('allow')], [405, 'GET']);
});

test('the public document does not mention the dashboard', async () => {
  const document = await (await fetch(`${service.origin}/openapi.json`)).text();
  assert.equal(document.includes('dashboard'), false);
});
