// Every cell of the table of what an account may hold before its address is proven, and of what becomes of it.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { UploadResult } from '#api/v1/schemas.ts';
import type { RouteName } from '#console/contract.ts';
import { createAuthenticator } from '#test/support/authenticator.ts';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { totp } from '#test/support/totp.ts';
import {
  createVisitor,
  loggedToken,
  password,
  signedInVisitor,
  type CallOptions,
  type Visitor,
} from '#test/support/visitor.ts';
import { accessTable, asMarkdown, events, type Cell, type Event, type Row } from './access-table.ts';

let service: TestService;
let site: PageServer;
let owner: Visitor;
let picture: Buffer;
before(async () => {
  picture = await png();
  site = await startPageServer({ '/page': '<!doctype html><p>a page' });
  service = await startService({ SIGNUPS: 'open', EGRESS_ALLOW: site.host });
  owner = await signedInVisitor(service, { owner: true });
});
after(async () => {
  await service.stop();
  await site.close();
});

interface Scene {
  /** Who is signed in: the person who made the things, after a proof the one who proved the address. */
  visitor: Visitor;
  accountId: string;
  /** These change with a change of address and a reset. */
  email: string;
  password: string;
  /** Of the authenticator app, once there is one. */
  app?: { uri: string; recovery: string[] };
}

/** Whether the thing works. */
type Probe = () => Promise<boolean>;

interface Thing {
  make: (scene: Scene) => Promise<Probe>;
  /** The call that would make it, if it may not exist before the proof. */
  refused?: [RouteName, CallOptions];
  /** Using it changes the account, so it has a scene without the others. */
  isAlone?: true;
}

const tokenOf = (link: string | null): string => new URL(link ?? '').searchParams.get('token') ?? '';
const newEmail = (): string => `person-${crypto.randomUUID()}@example.com`;
const accountOf = async ({ accountId }: Scene) => (await service.database.tables.accounts.byId(accountId))!;
const withPassword = (scene: Scene) => ({ body: { current_password: scene.password } });

async function signIn(scene: Scene) {
  const visitor = createVisitor(service);
  const { email, password: given } = scene;
  const { status, body } = await visitor.call('POST /sign-in', { body: { email, password: given } });
  return { visitor, status, isAskedForCode: status === 200 && body.signed_in === null };
}

async function turnCodesOn(scene: Scene): Promise<{ uri: string; recovery: string[] }> {
  if (scene.app) return scene.app;
  const { body } = await scene.visitor.call('POST /codes/start', withPassword(scene));
  const confirmed = await scene.visitor.call('POST /codes/confirm', { body: { code: totp(body.uri) } });
  assert.equal(confirmed.status, 200);
  scene.app = { uri: body.uri, recovery: body.recovery_codes };
  return scene.app;
}

const upload = async (key: string, headers: Record<string, string> = {}) =>
  post<UploadResult>(`${service.origin}/api/v1/upload`, {
    headers: { ...bearer(key), ...headers },
    body: formOf([[picture, 'a.png']]),
  });
const newKey = async (scene: Scene): Promise<string> =>
  (await service.accounts.createKey(scene.email, 'test')).key;
const isServed = async (url: string): Promise<boolean> => {
  const response = await fetch(service.origin + new URL(url).pathname, { redirect: 'manual' });
  await response.body?.cancel();
  return response.status === 200;
};
const uploads: Thing['refused'] = ['POST /uploads', { form: new FormData() }];
const codes: Thing['refused'] = ['POST /codes/start', { body: { current_password: password } }];

const things: Record<Row, Thing> = {
  'other session': {
    async make(scene) {
      const { visitor } = await signIn(scene);
      return async () => (await visitor.call('GET /session')).body.signed_in !== null;
    },
  },
  password: {
    async make(scene) {
      const old = scene.password;
      return async () => (await signIn({ ...scene, password: old })).status === 200;
    },
  },
  'API key': {
    refused: ['POST /keys', { body: { name: 'x' } }],
    async make({ visitor }) {
      const { secret } = (await visitor.call('POST /keys', { body: { name: 'x' } })).body;
      return async () => (await upload(secret)).status === 201;
    },
  },
  'webhook endpoint': {
    refused: ['POST /webhooks', { body: { url: 'https://example.com/', events: ['upload.created'] } }],
    async make(scene) {
      const body = { url: `https://${site.host}/`, events: ['upload.created'] };
      assert.equal((await scene.visitor.call('POST /webhooks', { body })).status, 201);
      const { webhooks } = service.database.tables.ownedBy(scene.accountId);
      const recorded = async () => (await webhooks.deliveries({}, { after: undefined, limit: 50 })).length;
      // A key made for the purpose: those from before may have ended too.
      return async () => {
        const before = await recorded();
        const key = await newKey(scene).catch(() => undefined);
        return key !== undefined && (await upload(key)).status === 201 && (await recorded()) > before;
      };
    },
  },
  'link key and its links': {
    refused: ['POST /link-keys', { body: { name: 'x' } }],
    async make({ visitor }) {
      const { key, secret } = (await visitor.call('POST /link-keys', { body: { name: 'x' } })).body;
      const payload = Buffer.from('{"html":"<p>","format":"text"}').toString('base64url');
      const signature = createHmac('sha256', secret).update(`v2.${payload}`).digest('base64url');
      return () => isServed(`${service.origin}/r/${key.id}/${payload}/${signature}`);
    },
  },
  'upload link': {
    refused: ['POST /upload-links', { body: {} }],
    async make({ visitor }) {
      const { token } = (await visitor.call('POST /upload-links', { body: {} })).body;
      return () => isServed(`${service.origin}/u/${token}`);
    },
  },
  passkey: {
    refused: ['POST /passkeys/start', { body: { current_password: password } }],
    async make(scene) {
      const authenticator = createAuthenticator(service.config.baseUrl);
      const { body } = await scene.visitor.call('POST /passkeys/start', withPassword(scene));
      const response = authenticator.create(body.options);
      await scene.visitor.call('POST /passkeys', { body: { name: 'x', response } });
      return async () => {
        const visitor = createVisitor(service);
        const { body: asked } = await visitor.call('POST /sign-in/passkey/start');
        const given = { body: { response: authenticator.get(asked.options) } };
        return (await visitor.call('POST /sign-in/passkey', given)).status === 200;
      };
    },
  },
  'codes from an app': {
    refused: codes,
    async make(scene) {
      await turnCodesOn(scene);
      return async () => (await signIn(scene)).isAskedForCode;
    },
  },
  'recovery code': {
    refused: ['POST /codes/recovery', { body: { current_password: password } }],
    async make(scene) {
      const unused = [...(await turnCodesOn(scene)).recovery];
      return async () => {
        const { visitor } = await signIn(scene);
        return (await visitor.call('POST /sign-in/code', { body: { code: unused.shift() } })).status === 200;
      };
    },
  },
  'sign-in that waits for its code': {
    refused: codes,
    async make(scene) {
      const { uri } = await turnCodesOn(scene);
      const { visitor } = await signIn(scene);
      return async () =>
        (await visitor.call('POST /sign-in/code', { body: { code: totp(uri) } })).status === 200;
    },
  },
  'verification link': {
    isAlone: true,
    async make(scene) {
      const token = tokenOf(await service.signIn.sendVerification(await accountOf(scene)));
      return async () => (await scene.visitor.call('POST /verify-email', { body: { token } })).status === 200;
    },
  },
  'password link': {
    async make(scene) {
      const token = tokenOf(await service.signIn.sendPasswordLink(await accountOf(scene)));
      return async () => {
        const answer = await createVisitor(service).call('POST /reset-password/check', { body: { token } });
        return answer.body.works;
      };
    },
  },
  'change-of-address link': {
    isAlone: true,
    async make(scene) {
      const email = newEmail();
      await scene.visitor.call('POST /change-email', { body: { email, ...withPassword(scene).body } });
      const token = await loggedToken(service, email);
      return async () => {
        const { body } = await scene.visitor.call('POST /verify-email', { body: { token } });
        return body.email === email;
      };
    },
  },
  "operator's sign-in link": {
    async make(scene) {
      const token = tokenOf(await service.signIn.welcomeLink(scene.email));
      return async () =>
        (await createVisitor(service).call('POST /welcome', { body: { token } })).status === 200;
    },
  },
  'upload and its link': {
    refused: uploads,
    async make(scene) {
      const { body } = await upload(await newKey(scene));
      return () => isServed(body.file_url);
    },
  },
  'delete link of an upload': {
    refused: uploads,
    async make(scene) {
      const { body } = await upload(await newKey(scene));
      return async () => {
        const { pathname, search } = new URL(body.delete_url);
        const response = await fetch(service.origin + pathname + search, { method: 'DELETE' });
        await response.body?.cancel();
        return response.status === 200;
      };
    },
  },
  'hosted render': {
    refused: ['POST /playground/screenshot', { body: { url: 'https://example.com' } }],
    async make(scene) {
      const { body } = await post<{ url: string }>(`${service.origin}/api/v1/screenshot`, {
        headers: { ...bearer(await newKey(scene)), 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${site.base}/page`, response: 'json' }),
      });
      return () => isServed(body.url);
    },
  },
  'stored response of an Idempotency-Key': {
    refused: uploads,
    async make(scene) {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      await upload(await newKey(scene), headers);
      return async () => {
        // Any key of the account replays it; an account that is gone has none.
        const key = await newKey(scene).catch(() => undefined);
        if (key === undefined) return false;
        return (await upload(key, headers)).headers.get('idempotent-replayed') === 'true';
      };
    },
  },
};

const operatorSets = async ({ accountId }: Scene, body: object): Promise<void> =>
  assert.equal((await owner.call('PATCH /admin/accounts/:id', { id: accountId, body })).status, 200);

async function followVerification(scene: Scene, token: string): Promise<void> {
  const { body } = await scene.visitor.call('POST /verify-email', { body: { token } });
  assert.equal(body.verified, true);
  assert.ok((await scene.visitor.call('GET /session')).body.signed_in, 'the session that follows it goes on');
  scene.email = body.email;
}

async function reset(scene: Scene): Promise<void> {
  const token = tokenOf(await service.signIn.sendPasswordLink(await accountOf(scene)));
  scene.password = 'a new good password';
  const visitor = createVisitor(service);
  const body = { token, new_password: scene.password };
  assert.equal((await visitor.call('POST /reset-password', { body })).status, 200);
  // Links for people who are signed in are tried by somebody who is.
  const entered = await signIn(scene);
  scene.visitor = entered.visitor;
  if (entered.isAskedForCode)
    await scene.visitor.call('POST /sign-in/code', { body: { code: totp(scene.app?.uri ?? '') } });
}

const happen: Record<Exclude<Event, 'before proof'>, (scene: Scene) => Promise<void>> = {
  'proof: verification link': async (scene) =>
    followVerification(scene, tokenOf(await service.signIn.sendVerification(await accountOf(scene)))),
  'proof: password reset': reset,
  async 'proof: sign-in link'(scene) {
    const token = tokenOf(await service.signIn.welcomeLink(scene.email));
    scene.visitor = createVisitor(service);
    const { body } = await scene.visitor.call('POST /welcome', { body: { token } });
    assert.deepEqual([body.verified, body.has_password], [true, false]);
  },
  "operator's word": (scene) => operatorSets(scene, { verified: true }),
  'password reset': reset,
  async 'change of address'(scene) {
    const email = newEmail();
    await scene.visitor.call('POST /change-email', { body: { email, ...withPassword(scene).body } });
    await followVerification(scene, await loggedToken(service, email));
    assert.equal(scene.email, email);
  },
  suspension: (scene) => operatorSets(scene, { suspended: true, suspended_reason: 'spam' }),
  async deletion(scene) {
    const body = { email: scene.email, ...withPassword(scene).body };
    assert.equal((await scene.visitor.call('POST /delete-account', { body })).status, 200);
  },
};
const ofUnverified: Event[] = [
  'proof: verification link',
  'proof: password reset',
  'proof: sign-in link',
  "operator's word",
];

/** Each scene begins in a new minute, so that the limits on attempts do not add up. */
async function newScene(): Promise<Scene> {
  await service.clock.advance(61_000);
  const visitor = await signedInVisitor(service);
  return { visitor, accountId: visitor.accountId, email: visitor.email, password };
}

const rows = Object.keys(accessTable) as Row[];
const cellOf = (row: Row, event: Event): Cell => accessTable[row][events.indexOf(event)]!;
/** Rows that share a scene, and each of those that need their own. */
const groups: Row[][] = [
  rows.filter((row) => !things[row].isAlone),
  ...rows.filter((row) => things[row].isAlone).map((row) => [row]),
];

test('before proof', async (t) => {
  const signUp = async (): Promise<Scene> => {
    await service.clock.advance(61_000);
    const visitor = createVisitor(service);
    const email = newEmail();
    const { body } = await visitor.call('POST /sign-up', { body: { name: 'X', email, password } });
    return { visitor, accountId: body.id, email, password };
  };
  const { visitor } = await signUp();
  for (const row of rows) {
    const cell = cellOf(row, 'before proof');
    await t.test(`${row}: ${cell}`, async () => {
      const { make, refused } = things[row];
      assert.equal(cell, refused ? 'no' : 'yes');
      if (refused) {
        const answer = await visitor.call(...refused);
        assert.equal(answer.status, 401);
        assert.match(answer.body.error.message, /^Confirm your e-mail address first/);
      } else {
        const works = await make(await signUp());
        assert.equal(await works(), true);
      }
    });
  }
});

for (const event of events) {
  if (event === 'before proof') continue;
  test(event, async (t) => {
    for (const group of groups) {
      const scene = await newScene();
      const made: [Row, Probe][] = [];
      for (const row of group) made.push([row, await things[row].make(scene)]);
      // An account has more than a password and links before the proof only if the operator took its verification away.
      if (ofUnverified.includes(event)) await operatorSets(scene, { verified: false });
      await happen[event](scene);
      for (const [row, works] of made)
        await t.test(`${row}: ${cellOf(row, event)}`, async () => {
          // After a sign-in link there is no password; sign-ins that are tried need one. Sessions come first in the table.
          if (event === 'proof: sign-in link' && row === 'API key') {
            scene.password = 'a first good password';
            await scene.visitor.call('POST /change-password', { body: { new_password: scene.password } });
          }
          assert.equal(await works(), cellOf(row, event) === 'stays');
        });
      if (event !== 'suspension') continue;
      await operatorSets(scene, { suspended: false });
      for (const [row, works] of made)
        if (cellOf(row, event) === 'stops')
          await t.test(`${row}: works again`, async () => assert.equal(await works(), true));
    }
  });
}

test('no device is trusted: a code is asked for at every sign-in', async () => {
  const scene = await newScene();
  const { uri } = await turnCodesOn(scene);
  const { visitor } = await signIn(scene);
  await visitor.call('POST /sign-in/code', { body: { code: totp(uri) } });
  await visitor.call('POST /sign-out');
  const again = await visitor.call('POST /sign-in', { body: { email: scene.email, password } });
  assert.equal(again.body.signed_in, null);
});

test('the table in the documentation is this one', async () => {
  const path = join(import.meta.dirname, '../../docs/self-hosting/ending-access.md');
  assert.ok((await readFile(path, 'utf8')).includes(`${asMarkdown()}\n`), asMarkdown());
});
