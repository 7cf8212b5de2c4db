// npx tintype, as a child process.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { join } from 'node:path';
import { command } from '#test/support/commands.ts';
import { serveUntilReady, temporaryFolder, type Ended } from '#test/support/processes.ts';
import { bearer } from '#test/support/requests.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
before(async () => {
  folder = await temporaryFolder();
});
after(async () => {
  await folder.remove();
});

const run = (...args: string[]): Promise<Ended> => command(args, { DATA_DIR: join(folder.path, 'data') });
async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, '--json');
  assert.deepEqual([code, stderr], [0, ''], args.join(' '));
  assert.match(stdout, /^[[{].*[\]}]\n$/, 'one line of JSON and nothing else');
  return JSON.parse(stdout) as T;
}

test('a data folder that cannot be used is named, in one line', async () => {
  const broken = join(folder.path, 'broken');
  await mkdir(broken);
  await writeFile(join(broken, 'tintype.db'), 'no database'.repeat(100));
  // Not even root can make a folder in /proc.
  const places = [broken, join(broken, 'tintype.db'), join(broken, 'tintype.db', 'data'), '/proc/broken'];
  for (const place of places) {
    const { code, stdout, stderr } = await command(
      ['account', 'create', '--email', 'a@example.com', '--json'],
      {
        DATA_DIR: place,
      },
    );
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^tintype: DATA_DIR: the database .*broken.* cannot be opened \(.+\)\n$/);
  }
});

test('every command works before the first start of the server, with the promised JSON', async () => {
  assert.deepEqual(await json('account', 'list'), []);

  const account = await json('account', 'create', '--email', 'Ada@Example.com', '--plan', 'pro');
  const { id } = account;
  assert.equal(typeof id, 'string');
  const created = {
    id,
    email: 'ada@example.com',
    plan: 'pro',
    verified: true,
    suspended: false,
    overages: false,
  };
  assert.deepEqual(account, created);

  const unverified = await json('account', 'create', '--email', 'bob@example.com', '--unverified');
  assert.deepEqual([unverified['plan'], unverified['verified']], ['free', false]);

  const update =
    'account update ada@example.com --plan business --suspended true --verified false --overages on --allow-hosts Wiki.Corp:443,10.0.0.5:8443';
  const changed = await json(...update.split(' '));
  const all = {
    ...created,
    plan: 'business',
    suspended: true,
    verified: false,
    overages: true,
  };
  assert.deepEqual(changed, all);
  assert.deepEqual(await json('account', 'list'), [
    { ...all, allowed_hosts: ['wiki.corp:443', '10.0.0.5:8443'] },
    { ...unverified, allowed_hosts: [] },
  ]);

  const key = await json('key', 'create', '--account', 'ada@example.com', '--name', 'laptop');
  assert.deepEqual(Object.keys(key), ['id', 'key']);
  assert.match(String(key['key']), /^tt_[0-9A-Za-z]{49}$/);

  const [listed] = await json<Record<string, unknown>[]>('key', 'list', '--account', 'ada@example.com');
  assert.deepEqual(Object.keys(listed ?? {}), [
    'id',
    'name',
    'key',
    'scope',
    'created_at',
    'last_used_at',
    'expires_at',
    'revoked_at',
    'uploads_per_month',
    'renders_per_month',
  ]);
  assert.deepEqual([listed?.['id'], listed?.['name'], listed?.['revoked_at']], [key['id'], 'laptop', null]);
  assert.deepEqual([listed?.['scope'], listed?.['expires_at']], ['all', null]);
  assert.ok(!JSON.stringify(listed).includes(String(key['key'])), 'the key is shown once');

  const narrow = ['--scope', 'renders', '--expires-in-days', '30', '--renders-per-month', '9'];
  const second = await json('key', 'create', '--account', 'ada@example.com', ...narrow);
  assert.deepEqual(Object.keys(second), ['id', 'key']);
  const both = await json<Record<string, unknown>[]>('key', 'list', '--account', 'ada@example.com');
  const narrowed = both.find(({ id }) => id === second['id']);
  assert.equal(narrowed?.['scope'], 'renders');
  assert.deepEqual([narrowed['uploads_per_month'], narrowed['renders_per_month']], [null, 9]);
  const life = Date.parse(String(narrowed['expires_at'])) - Date.parse(String(narrowed['created_at']));
  assert.equal(life, 30 * 86_400_000);

  const link = await json('link-key', 'create', '--account', 'ada@example.com', '--name', 'site');
  assert.deepEqual(Object.keys(link), ['key', 'secret']);
  assert.match(String(link['key']), /^lk_\w{20}$/);
  const [signing] = await json<Record<string, unknown>[]>('link-key', 'list', '--account', 'ada@example.com');
  assert.deepEqual([signing?.['key'], signing?.['name']], [link['key'], 'site']);
  assert.equal((await json('link-key', 'revoke', String(link['key'])))['key'], link['key']);
  assert.deepEqual(await json('link-key', 'list', '--account', 'ada@example.com'), []);
  assert.deepEqual(Object.keys(await json('webhook-secret', 'rotate', '--account', 'ada@example.com')), [
    'secret',
  ]);

  const revoked = await json('key', 'revoke', String(key['id']));
  assert.equal(revoked['id'], key['id']);
  assert.ok(Date.parse(String(revoked['revoked_at'])) > 0);
});

test('a command in a folder without a database makes none and says so; only the first account makes one', async () => {
  const empty = join(folder.path, 'none');
  const inEmpty = (...args: string[]) => command(args, { DATA_DIR: empty });
  for (const args of [
    ['account', 'link', 'ada@example.com'],
    ['key', 'list', '--account', 'ada@example.com'],
  ]) {
    const { code, stderr } = await inEmpty(...args);
    assert.equal(code, 1);
    assert.match(stderr, /^tintype: there is no database in .+none; set DATA_DIR to/);
  }
  const list = await inEmpty('account', 'list', '--json');
  assert.deepEqual([list.code, list.stdout], [0, '[]\n']);
  assert.match((await inEmpty('account', 'list')).stdout, /there is no database/);
  assert.equal(existsSync(empty), false);
  assert.equal((await inEmpty('account', 'create', '--email', 'first@example.com')).code, 0);
  assert.match((await inEmpty('account', 'list')).stdout, /^first@example\.com/);
});

test('an account is deleted with --yes, but not the last owner', async () => {
  const environment = { DATA_DIR: join(folder.path, 'deleted') };
  await command(['account', 'create', '--email', 'gone@example.com'], environment);
  await command(['account', 'update', 'gone@example.com', '--owner', 'true'], environment);
  const remove = ['account', 'delete', 'Gone@example.com', '--yes'];
  const refused = await command(remove, environment);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^tintype: "gone@example\.com" is the only owner; make another account owner first/,
  );

  await command(['account', 'create', '--email', 'other@example.com'], environment);
  await command(['account', 'update', 'other@example.com', '--owner', 'true'], environment);
  assert.deepEqual(await command(remove, environment), {
    code: 0,
    stdout: 'deleted gone@example.com\n',
    stderr: '',
  });
  assert.match((await command(['account', 'list'], environment)).stdout, /^other@example\.com[^\n]+\n$/);
});

test('on a terminal lists have headings and aligned columns', async () => {
  const environment = { DATA_DIR: join(folder.path, 'lists') };
  const onTerminal = (...args: string[]) => command(args, environment, { isTerminal: true });
  for (const email of ['a@example.com', 'longer@example.com'])
    await onTerminal('account', 'create', '--email', email, '--unverified');
  const accounts = (await onTerminal('account', 'list')).stdout.split('\n');
  assert.match(accounts[0] ?? '', /^EMAIL {15}PLAN {2}ID {20}NOTES$/);
  assert.match(accounts[1] ?? '', /^a@example\.com {7}free {2}\w{20} {2}unverified$/);
  const ownQuota = ['--uploads-per-month', '9', '--renders-per-month', '0'];
  await onTerminal('key', 'create', '--account', 'a@example.com', '--name', 'laptop', ...ownQuota);
  const keys = ['key', 'list', '--account', 'a@example.com'];
  const [head, row, ...rest] = (await onTerminal(...keys)).stdout.split('\n');
  assert.match(
    head ?? '',
    /^ID +NAME +KEY +SCOPE +CREATED AT +LAST USED AT +EXPIRES AT +REVOKED AT +MONTHLY$/,
  );
  assert.match(row ?? '', /^\w{20} {2}laptop {2}tt_\S+ +all +\S+Z +- +- +- +9 uploads, 0 renders$/);
  assert.deepEqual(rest, ['']);
  assert.doesNotMatch((await command(keys, environment)).stdout, /NAME/);
  assert.match((await onTerminal(...keys, '--json')).stdout, /^\[\{"id"/);
});

test('version and help, also after a command', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  for (const word of ['version', '--version'])
    assert.deepEqual(await run(word), { code: 0, stdout: `${version}\n`, stderr: '' });
  const { code, stdout } = await run('key', 'create', '--help');
  assert.equal(code, 0);
  assert.match(stdout, /^Usage: npx tintype/);
});

test('without --json the output is for people', async () => {
  const [account, key, help] = await Promise.all([
    run('account', 'create', '--email', 'carol@example.com'),
    run('account', 'list'),
    run('help'),
  ]);
  assert.match(account.stdout, /^carol@example\.com {2}free {2}\w{20}\n$/);
  assert.equal(key.code, 0);
  assert.equal(help.code, 0);
  for (const command of [
    'serve',
    'account create',
    'account update',
    'account list',
    'key create',
    'key list',
    'key revoke',
  ]) {
    assert.ok(help.stdout.includes(command), command);
  }
});

describe('wrong usage: exit code 2, or 1 if what it names does not exist or cannot be; one line on stderr, nothing on stdout', () => {
  const wrong: [string[], RegExp][] = [
    [[], /no command/],
    [['frobnicate'], /unknown command "frobnicate"/],
    [['account'], /unknown command "account"/],
    [['account', 'remove'], /unknown command "account remove"/],
    [['doctor', '--jsn'], /--jsn/],
    [['migrate-data'], /--to-database is missing/],
    [['migrate-data', '--to-database', 'postgres://127.0.0.1/x'], /--to-storage is missing/],
    [
      ['migrate-data', '--to-database', 'postgres://127.0.0.1/x', '--to-storage', 's3://b'],
      /invalid --to-storage, .+the name of a bucket has 3 to 63 lower-case letters/,
    ],
    [['backup'], /takes one folder/],
    [['account', 'delete', 'bob@example.com'], /--yes is missing: it deletes "bob@example\.com"/],
    [['serve', '--port', '80'], /unknown command "serve --port"/],
    [['account', 'create'], /--email is missing/],
    [['account', 'create', '--email', 'nonsense'], /"nonsense" is not an e-mail address/],
    [
      ['account', 'create', '--email', 'x@example.com', '--plan', 'gold'],
      /unknown plan "gold".*free, starter/,
    ],
    [['account', 'create', '--email', 'x@example.com', '--admin'], /--admin/],
    [['account', 'create', '--email', 'x@example.com', 'more'], /takes 0 operand/],
    [['account', 'create', '--email', 'ada@example.com'], /already an account "ada@example\.com"/],
    [['account', 'update'], /takes 1 operand/],
    [['account', 'update', 'ada@example.com'], /nothing to change/],
    [['account', 'update', 'nobody@example.com', '--plan', 'pro'], /no account "nobody@example\.com"/],
    [
      ['account', 'update', 'ada@example.com', '--suspended', 'yes'],
      /--suspended must be true or false, not "yes"/,
    ],
    [
      ['account', 'update', 'bob@example.com', '--overages', 'on'],
      /overages are not available on the plan "free"/,
    ],
    [['key', 'create'], /--account is missing/],
    [['key', 'create', '--account', 'nobody@example.com'], /no account/],
    [
      ['key', 'create', '--account', 'x', '--scope', 'read'],
      /--scope must be uploads, renders or all, not "read"/,
    ],
    ...['0', '-1', '1.5', '3651', 'soon'].map((days): [string[], RegExp] => [
      ['key', 'create', '--account', 'x', `--expires-in-days=${days}`],
      /--expires-in-days must be a whole number from 1 to 3650/,
    ]),
    [
      ['key', 'create', '--account', 'x', '--uploads-per-month', 'many'],
      /--uploads-per-month must be a whole number from 0 to 999999999, not "many"/,
    ],
    [['key', 'list', '--account', 'nobody@example.com'], /no account/],
    [['key', 'revoke', 'nothing'], /no key "nothing"/],
    [['key', 'revoke', '--account', '--json'], /account/],
    [['account', 'create', '--email', 'eve\u0007@example.com'], /is not an e-mail address/],
  ];
  const failures = [
    /is not an e-mail address/,
    /unknown plan/,
    /already an account/,
    /nothing to change/,
    /no account/,
    /overages are not available/,
    /no key/,
  ];
  for (let at = 0; at < wrong.length; at += 3) {
    const group = wrong.slice(at, at + 3);
    test(group.map(([args]) => args.join(' ') || '(nothing)').join(' · '), async () => {
      const ended = await Promise.all(group.map(([args]) => run(...args)));
      for (const [index, { code, stdout, stderr }] of ended.entries()) {
        const [args, reason] = group[index]!;
        assert.equal(code, failures.some((failure) => failure.test(stderr)) ? 1 : 2, args.join(' '));
        assert.equal(stdout, '');
        assert.match(stderr, /^tintype: [^\n]+\n$/);
        assert.match(stderr, reason);
      }
    });
  }
  test('an invalid variable, and a DATA_DIR that is not a folder', async () => {
    const [variable, notAFolder] = await Promise.all([
      command(['account', 'list'], { PORT: 'x', LOG_LEVEL: 'y' }),
      command(['account', 'create', '--email', 'a@example.com'], { DATA_DIR: '/dev/null/data' }),
    ]);
    for (const { code, stdout, stderr } of [variable, notAFolder]) {
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^tintype: [^\n]+\n$/);
    }
    assert.match(variable.stderr, /invalid PORT: "x".*invalid LOG_LEVEL: "y"/);
    assert.match(notAFolder.stderr, /\/dev\/null\/data/);
  });
});

test('the commands work while the server runs', async () => {
  const environment = { DATA_DIR: join(folder.path, 'running'), LOG_LEVEL: 'error' };
  await command(['account', 'create', '--email', 'first@example.com'], environment);
  const serving = await serveUntilReady(environment);
  try {
    const newKey = async (email: string) => {
      const made = await command(['key', 'create', '--account', email, '--json'], environment);
      return JSON.parse(made.stdout) as { id: string; key: string };
    };
    const ask = async (key: string) => {
      const response = await fetch(`${serving.origin}/api/v1/upload`, {
        method: 'POST',
        headers: bearer(key),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const { id, key } = await newKey('first@example.com');
    assert.equal(await ask(key), 422, 'the new key works');
    assert.equal((await command(['key', 'revoke', id], environment)).code, 0);
    assert.equal(await ask(key), 401, 'the revoked key does not');

    await command(['account', 'create', '--email', 'second@example.com'], environment);
    const second = await newKey('second@example.com');
    assert.equal(await ask(second.key), 422);
    assert.equal((await command(['account', 'delete', 'second@example.com', '--yes'], environment)).code, 0);
    assert.equal(await ask(second.key), 401, 'nor does the key of a deleted account');
  } finally {
    const { code, stdout } = await serving.end();
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /Your API key/, 'there was an account already: no first-start block');
  }
});
