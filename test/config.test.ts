// The configuration variables: defaults, mistakes, and the page that lists them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newApiKey } from '#core/ids.ts';
import { readConfig, variables } from '#roof/config.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { configurationPath, configurationText } from '#scripts/document.ts';

const mistakesOf = (environment: Record<string, string>): string[] => {
  try {
    readConfig(environment);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
};

test('nothing is required', () => {
  const config = readConfig({});
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 3000);
  assert.equal(config.baseUrl, 'http://localhost:3000');
  assert.equal(config.dataDir, join(process.cwd(), 'data'));
  assert.equal(config.trustProxy, false);
  assert.equal(config.logLevel, 'info');
  assert.ok(Object.isFrozen(config));
});

test('the default BASE_URL uses PORT; an empty variable counts as not set', () => {
  assert.equal(readConfig({ PORT: '8080', HOST: '' }).baseUrl, 'http://localhost:8080');
  assert.equal(readConfig({ BASE_URL: 'https://img.example.com/' }).baseUrl, 'https://img.example.com');
});

test('origins are kept as browsers write them', () => {
  const given =
    'https://App.example.com:443/, http://localhost:5173,https://żółw.example,chrome-extension://abcdef';
  assert.deepEqual(readConfig({ CORS_ORIGINS: given }).corsOrigins, [
    'https://app.example.com',
    'http://localhost:5173',
    'https://xn--w-uga1v8h.example',
    'chrome-extension://abcdef',
  ]);
  assert.deepEqual(readConfig({}).corsOrigins, []);
});

describe('a mistake names the variable, its value and the expected form', () => {
  const wrong: [string, string][] = [
    ['METRICS_PORT', '0'],
    ['PORT', 'abc'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '-1'],
    ['BASE_URL', 'img.example.com'],
    ['BASE_URL', 'ftp://img.example.com'],
    ['BASE_URL', 'https://img.example.com/path'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/path'],
    ['CORS_ORIGINS', 'https://app.example.com,'],
    ['CORS_ORIGINS', 'chrome-extension://abc/page.html'],
    ['LOG_LEVEL', 'loud'],
    ['TRUST_PROXY', 'maybe'],
    ['TRUST_PROXY', '999.1.1.1'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '1.2.3'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['OIDC_ISSUER', 'login.example.com'],
    ['OIDC_ISSUER', 'https://login.example.com/?realm=main'],
    ['OIDC_CLIENT_ID', 'two words'],
    ['OIDC_NAME', 'x'.repeat(41)],
    ['OIDC_SIGNUPS', 'yes'],
    ['OWNER_EMAIL', 'ada@localhost'],
    ['PLANS_FILE', 'nothing-here.json'],
    ['BLOCKED_HOSTS_FILE', 'nothing-here.txt'],
    ['TLS_CERT_FILE', 'nothing-here.pem'],
    ['TLS_KEY_FILE', 'nothing-here.pem'],
  ];
  for (const [name, value] of wrong) {
    test(`${name}=${value}`, () => {
      const [message = ''] = mistakesOf({ [name]: value });
      const form = variables[name as keyof typeof variables].expected;
      assert.ok(message.startsWith(`invalid ${name}: ${JSON.stringify(value)} (expected ${form}`), message);
    });
  }
});

test('a sign-in provider needs issuer, id and secret, and the message names what is missing', () => {
  const id = { OIDC_ISSUER: 'https://login.example.com/realms/main/', OIDC_CLIENT_ID: 'tintype' };
  assert.deepEqual(mistakesOf(id), [
    'OIDC_ISSUER, OIDC_CLIENT_ID without OIDC_CLIENT_SECRET: set all three of the provider, or none',
  ]);
  assert.deepEqual(mistakesOf({ OIDC_NAME: 'Example' }), [
    'OIDC_NAME without OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET: set all three of the provider, or none',
  ]);
  assert.deepEqual(mistakesOf({ ...id, OIDC_CLIENT_SECRET: 'two words' }), [
    'invalid OIDC_CLIENT_SECRET, which is not shown because it may hold a password (expected a text without spaces)',
  ]);
  assert.deepEqual(readConfig({ ...id, OIDC_CLIENT_SECRET: 's' }).oidc, {
    issuer: 'https://login.example.com/realms/main/',
    clientId: 'tintype',
    clientSecret: 's',
    name: 'login.example.com',
    signups: undefined,
  });
  assert.equal(readConfig({}).oidc, undefined);
});

describe('a mistyped address does not show its password', () => {
  for (const [name, value] of [
    ['SMTP_URL', 'smtp//user:hunter2@mail.example.com'],
    ['SMTP_URL', 'imap://user:hunter2@mail.example.com'],
    ['SMTP_URL', 'smtps://user:12/hunter2@mail.example.com'],
    ['SMTP_URL', 'user hunter2 mail.example.com'],
    ['STORAGE_URL', 's3://AKIA:hunter2@bucket'],
    ['STORAGE_URL', 's3:/hunter2'],
    ['STORAGE_URL', 's3://bucket?endpoint=https://a:hunter2@store.example.com'],
    ['DATABASE_URL', 'postgres://user:hunt/er2@db.example.com/app'],
    ['DATABASE_URL', 'postgres://user:12/hunter2@db.example.com/app'],
    ['DATABASE_URL', 'postgres:user:hunter2@db.example.com'],
    ['DATABASE_URL', 'mysql://user:hunter2@db.example.com/app'],
    ['DATABASE_URL', 'hunter2'],
    ['BASE_URL', 'https://user:hunter2@img.example.com'],
    ['CONTENT_BASE_URL', 'https:user:hunter2@img.example.com'],
  ] as const) {
    test(`${name}=${value}`, () => {
      const [mistake = '', ...more] = mistakesOf({ [name]: value });
      assert.deepEqual(more, []);
      assert.doesNotMatch(mistake, /hunt|er2/);
      assert.ok(
        mistake.startsWith(`invalid ${name}, which is not shown because it may hold a password (expected `),
        mistake,
      );
    });
  }
});

describe('a secret may be in a file', () => {
  const inFile = async (content: string, name: string, more: Record<string, string> = {}) => {
    const { path, remove } = await temporaryFolder();
    try {
      const file = join(path, 'secret');
      await writeFile(file, content);
      return readConfig({ ...more, [`${name}_FILE`]: file });
    } finally {
      await remove();
    }
  };
  test('each of them, without the line break at its end', async () => {
    const key = newApiKey();
    assert.equal((await inFile('postgres://a:b@c/d\n', 'DATABASE_URL')).databaseUrl, 'postgres://a:b@c/d');
    assert.equal((await inFile('s3://bucket', 'STORAGE_URL')).storage?.bucket, 'bucket');
    assert.equal((await inFile('smtp://a:b@c\r\n', 'SMTP_URL')).smtpUrl, 'smtp://a:b@c');
    assert.equal((await inFile(`${key}\n`, 'OWNER_KEY')).ownerKey, key);
    const provider = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'tintype' };
    assert.equal((await inFile('s\n', 'OIDC_CLIENT_SECRET', provider)).oidc?.clientSecret, 's');
  });
  test('a file that is empty, missing or too many is named, and its content is not', async () => {
    assert.deepEqual(mistakesOf({ SMTP_URL_FILE: '/nothing/here', SMTP_URL: 'smtp://mail.example.com' }), [
      'SMTP_URL and SMTP_URL_FILE are both set: set one of them',
      `invalid SMTP_URL_FILE: "/nothing/here" (expected the path of a file; ENOENT: no such file or directory, open '/nothing/here')`,
    ]);
    await assert.rejects(
      inFile('\n', 'DATABASE_URL'),
      /^Error: invalid DATABASE_URL_FILE: .*; the file is empty\)$/,
    );
    await assert.rejects(
      inFile('hunter2', 'OWNER_KEY'),
      /^Error: invalid OWNER_KEY, which is not shown because it may hold a password/,
    );
  });
});

test('the exact message of a mistake', () => {
  assert.deepEqual(mistakesOf({ PORT: 'abc' }), [
    'invalid PORT: "abc" (expected an integer from 1 to 65535)',
  ]);
});

test('METRICS_PORT is not PORT, nor its default', () => {
  assert.deepEqual(mistakesOf({ METRICS_PORT: '3000' }), ['METRICS_PORT is PORT: set another port']);
  assert.equal(readConfig({ METRICS_PORT: '9464' }).metricsPort, 9464);
});

test('all mistakes are reported at once, including unreadable files', () => {
  const mistakes = mistakesOf({
    PORT: 'x',
    LOG_LEVEL: 'x',
    TRUST_PROXY: 'x',
    PLANS_FILE: 'x',
    TLS_CERT_FILE: 'x',
  });
  assert.deepEqual(
    mistakes.map((line) => /^invalid (\w+)/.exec(line)?.[1] ?? line),
    [
      'PORT',
      'PLANS_FILE',
      'TLS_CERT_FILE',
      'TRUST_PROXY',
      'LOG_LEVEL',
      'TLS_CERT_FILE and TLS_KEY_FILE belong together: set both or neither',
    ],
  );
});

test('TRUST_PROXY in all its forms', () => {
  for (const [text, expected] of [
    ['true', true],
    ['false', false],
    ['2', 2],
    ['10.0.0.0/8, ::1,192.168.1.1', ['10.0.0.0/8', '::1', '192.168.1.1']],
  ] as const) {
    assert.deepEqual(readConfig({ TRUST_PROXY: text }).trustProxy, expected);
  }
});

describe('BLOCKED_HOSTS_FILE', () => {
  const readHosts = async (content: string) => {
    const { path, remove } = await temporaryFolder();
    try {
      const file = join(path, 'hosts.txt');
      await writeFile(file, content);
      return { file, read: readConfig({ BLOCKED_HOSTS_FILE: file }).blockedHostsFile };
    } finally {
      await remove();
    }
  };
  test('is checked with the other variables', async () => {
    const { file, read } = await readHosts('# ours\n0.0.0.0 ads.example.com\n\ntracker.example\r\n');
    assert.equal(read, file);
  });
  const wrong: [string, string, string][] = [
    ['no names', '# nothing\n127.0.0.1 localhost\n', 'it has no names'],
    ['another format', 'ads.example\n||ads.example^\n', 'line 2 is not a name: "||ads.example^"'],
  ];
  for (const [name, content, reason] of wrong)
    test(name, async () => {
      await assert.rejects(readHosts(content), (error: Error) => {
        assert.ok(
          error.message.endsWith(`, or of a file with one name on each line; ${reason})`),
          error.message,
        );
        return true;
      });
    });
});

describe('PLANS_FILE', () => {
  const plan = {
    id: 'team',
    name: 'Team',
    uploads_per_month: 1,
    renders_per_month: 1,
    requests_per_minute: 1,
    concurrent_renders: 1,
    overages: true,
    paid: true,
    max_link_seconds: null,
  };
  const readPlans = async (content: string) => {
    const { path, remove } = await temporaryFolder();
    try {
      const file = join(path, 'plans.json');
      await writeFile(file, content);
      return readConfig({ PLANS_FILE: file }).plans;
    } finally {
      await remove();
    }
  };
  test('is read with the other variables', async () => {
    assert.deepEqual(await readPlans(JSON.stringify({ plans: [plan] })), [plan]);
  });
  test('may have small and large numbers, and an id in any case', async () => {
    const plans = [
      { ...plan, id: 'Trial.1', max_link_seconds: 1, uploads_per_month: 0, concurrent_renders: 0 },
      { ...plan, requests_per_minute: 1_000_000_000, concurrent_renders: 1_000_000_000 },
    ];
    assert.deepEqual(await readPlans(JSON.stringify({ plans })), plans);
  });
  const { name: _, ...nameless } = plan;
  const wrong: [string, string, RegExp][] = [
    ['invalid JSON', '{', /JSON/],
    ['not an object', '[]', /\//],
    ['no plans', '{"plans":[]}', /\/plans/],
    ['a field is missing', JSON.stringify({ plans: [nameless] }), /plans\[0\].*name/],
    ['a field is unknown', JSON.stringify({ plans: [{ ...plan, colour: 1 }] }), /plans\[0\]/],
    ['a field has the wrong type', JSON.stringify({ plans: [{ ...plan, paid: 'yes' }] }), /plans\[0\]\.paid/],
    [
      'a number is out of bounds',
      JSON.stringify({ plans: [{ ...plan, requests_per_minute: 0 }] }),
      /plans\[0\]\.requests_per_minute/,
    ],
    [
      'a link lifetime that is too short',
      JSON.stringify({ plans: [{ ...plan, max_link_seconds: 0 }] }),
      /plans\[0\]\.max_link_seconds/,
    ],
    [
      'a link lifetime past the end of all dates',
      JSON.stringify({ plans: [{ ...plan, max_link_seconds: 1e13 }] }),
      /plans\[0\]\.max_link_seconds/,
    ],
    ['an id twice', JSON.stringify({ plans: [plan, plan] }), /"team" is there twice/],
  ];
  for (const [name, content, place] of wrong) {
    test(name, async () => {
      await assert.rejects(readPlans(content), (error: Error) => {
        assert.match(
          error.message,
          /^invalid PLANS_FILE: ".*plans\.json" \(expected the path of a JSON file; /,
        );
        assert.match(error.message, place);
        return true;
      });
    });
  }
});

test('docs/configuration.md lists exactly the existing variables (npm run document)', () => {
  const page = readFileSync(configurationPath, 'utf8');
  assert.equal(page, configurationText(page));
  const listed = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map((match) => match[1]);
  assert.deepEqual(listed, Object.keys(variables));
});
