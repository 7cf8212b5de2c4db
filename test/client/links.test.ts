// Links by the library, tt and Python: signed by the service or offline, they are the same and they work.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createLinkKeys } from '#accounts/link-keys.ts';
import { createPlans } from '#accounts/plans.ts';
import { signLink, Tintype } from '#client/index.ts';
import { root } from '#test/support/processes.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { skip } from './python.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

let service: TestService;
let client: Tintype;
let line: CommandLine;
let linkKey: string;
let secret: string;

before(async () => {
  service = await startService();
  const { key, accountId } = await service.newKey();
  const made = await createLinkKeys({ ...service, plans: createPlans() }).create(accountId, 'test');
  [linkKey, secret] = [made.row.id, made.secret];
  client = new Tintype({ baseUrl: service.origin, apiKey: key });
  line = await createCommandLine({ url: service.origin, key });
});
after(async () => {
  await line.remove();
  await service.stop();
});

const card = {
  html: '<h1>Straße — 写真</h1>',
  format: 'text',
  maxAge: 3600,
  viewport: { width: 1200, height: 630 },
} as const;
const baseUrl = 'http://tintype.test';
const open = async (url: string): Promise<string> =>
  (await fetch(service.origin + new URL(url).pathname)).text();

test('the library signs as the service does', async () => {
  const url = await signLink(card, { baseUrl, linkKey, secret });
  assert.equal(await client.link(card), url);
  assert.equal((await open(url)).trim(), 'Straße — 写真');
  const until = new Date(service.clock.now() + 60_000);
  const brief = await signLink({ ...card, validUntil: until }, { baseUrl, linkKey, secret });
  assert.equal(await client.link({ ...card, validUntil: until.toISOString() }), brief);
  await assert.rejects(signLink({ html: 'x'.repeat(7_000) }, { baseUrl, linkKey, secret }), /too long/);
  await assert.rejects(client.link({ url: 'http://localhost/' }), { code: 'validation_error' });
});

test('tt link signs by the service, or here with the secret of the environment', async () => {
  const args = ['link', '-', '--format', 'text', '--max-age', '3600', '--width', '1200', '--height', '630'];
  const byService = await line.tt(args, { input: card.html });
  assert.deepEqual([byService.code, byService.stderr], [0, '']);
  const url = byService.stdout.toString().trim();
  assert.equal(url, await signLink(card, { baseUrl, linkKey, secret }));
  const here = await line.tt([...args, '--link-key', linkKey, '--at', baseUrl], {
    input: card.html,
    environment: { TINTYPE_LINK_SECRET: secret, TINTYPE_URL: '' },
  });
  assert.equal(here.stdout.toString().trim(), url);
  const without = await line.tt([...args, '--link-key', linkKey], { input: card.html });
  assert.deepEqual([without.code, /TINTYPE_LINK_SECRET/.test(without.stderr)], [2, true]);
});

test('Python signs the same link', { skip }, async () => {
  const program = [
    'import json, sys',
    'from tintype import Tintype, sign_link',
    'given = json.load(sys.stdin)',
    'print(sign_link(given["request"], **given["signer"]))',
    'print(Tintype().link(given["request"]))',
  ].join('\n');
  const request = { html: card.html, format: 'text', max_age: 3600, viewport: card.viewport };
  const child = spawn('python3', ['-c', program], {
    env: { ...line.environment, PYTHONPATH: join(root, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ request, signer: { base_url: baseUrl, link_key: linkKey, secret } }));
  const lines = Buffer.concat((await child.stdout.toArray()) as Buffer[])
    .toString()
    .trim()
    .split('\n');
  const url = await signLink(card, { baseUrl, linkKey, secret });
  assert.deepEqual(lines, [url, url]);
});
