// Where a result goes is known before anything is asked for: a server that counts requests stands in for the service.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Tintype } from '#client/index.ts';
import { allowFolders } from '#mcp/allowed-folders.ts';
import { tools } from '#mcp/tools.ts';
import { json, picture, refusal, startFaultServer, type FaultServer } from './support.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

const url = 'https://example.com/a';
const unit = { used: 0, limit: 10, remaining: 10, percent: 0, overage: 0 };
/** The answer of /api/account/usage. */
const usage = {
  month: '2026-11',
  plan: { id: 'free', name: 'Free', concurrent_renders: 1 },
  units: { upload: unit, render: unit },
  requests: { limit: 30, remaining: 30, reset_seconds: 60 },
  resets_at: '2026-12-01T00:00:00.000Z',
  key: { name: 'k', scope: 'all', expires_at: null },
};
let server: FaultServer;
let line: CommandLine;

before(async () => {
  server = await startFaultServer();
  line = await createCommandLine({ url: server.origin, key: 'tt_key' });
  await mkdir(join(line.folder, 'folder/example.com-a.png'), { recursive: true });
  await mkdir(join(line.folder, 'pictures'));
  await writeFile(join(line.folder, 'file'), '');
});
after(async () => {
  await line.remove();
  await server.stop();
});

const refused: { args: string[]; says: RegExp }[] = [
  { args: ['screenshot', url, '-o', 'file/x.png'], says: /cannot write file\/x\.png: / },
  { args: ['screenshot', url, '-o', 'folder'], says: /cannot write folder\/example\.com-a\.png: / },
  { args: ['pdf', url, '-o', 'file/x.pdf'], says: /cannot write file\/x\.pdf: / },
  { args: ['screenshot', url, '--json', '-o', 'z.png'], says: /give one of --json and --output/ },
  { args: ['pdf', url, '--link', '-o', 'z.pdf'], says: /give one of --link and --output/ },
  { args: ['screenshot', url, '-o', 'x.gif'], says: /x\.gif: cannot make \.gif, only png, jpeg, webp/ },
  { args: ['screenshot', url, '-o', 'x.png', '--format', 'jpeg'], says: /x\.png: is not the name of a jpeg/ },
  { args: ['pdf', url, '-o', 'x.png'], says: /x\.png: cannot make \.png, only pdf/ },
];

for (const { args, says } of refused) {
  test(`nothing is sent: tt ${args.join(' ')}`, async () => {
    server.play(picture);
    const { code, stderr } = await line.tt(args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
    assert.equal(server.seen.length, 0);
  });
}

test('a folder means "put it in there", also one that is not there yet', async () => {
  server.play(picture);
  for (const folder of ['pictures', 'new/']) {
    const { code, stdout, stderr } = await line.tt(['screenshot', url, '-o', folder]);
    assert.equal(code, 0, stderr);
    const file = stdout.toString().trimEnd();
    assert.equal(file, join(folder, 'example.com-a.png'));
    assert.equal(await readFile(join(line.folder, file), 'utf8'), 'picture');
  }
  assert.deepEqual(await readdir(join(line.folder, 'pictures')), ['example.com-a.png']);
});

test('MCP: save_to is checked first, and its ending tells the format', async () => {
  const client = new Tintype({ baseUrl: server.origin, apiKey: 'tt_key' });
  const { signal } = new AbortController();
  const settings = { url: server.origin, key: 'tt_key' };
  const folders = await allowFolders([], line.folder);
  const access = { client, settings, note: () => {}, signal, folders };
  const run = (name: string, input: Record<string, unknown>) =>
    tools.find((tool) => tool.name === name)?.run({ url, ...input }, access);
  server.play(refusal(402, 'quota_exceeded'));
  const at = (path: string): string => join(line.folder, path);
  await assert.rejects(async () => run('screenshot', { save_to: at('file/x.png') }), /cannot write/);
  await assert.rejects(async () => run('pdf', { save_to: at('file/x.pdf') }), /cannot write/);
  await assert.rejects(
    async () => run('screenshot', { save_to: at('a.png'), format: 'jpeg' }),
    /not the name/,
  );
  await assert.rejects(async () => run('pdf', { save_to: at('a.png') }), /cannot make \.png, only pdf/);
  assert.equal(server.seen.length, 0);
  await assert.rejects(async () => run('screenshot', { save_to: at('a.webp') }), /quota/);
  const { outputs } = JSON.parse(server.seen[0]?.body.toString() ?? '') as { outputs: { format: string }[] };
  assert.deepEqual(new Set(outputs.map(({ format }) => format)), new Set(['webp']));
});

test('tt pdf --margin takes numbers with a point', async () => {
  server.play(json(200, { id: 'pdf_1', url: 'http://x/p/1' }));
  const { code, stderr } = await line.tt(['pdf', url, '--link', '--margin', '1.5 .5 2cm']);
  assert.equal(code, 0, stderr);
  const { margin } = JSON.parse(server.seen[0]?.body.toString() ?? '') as { margin: unknown };
  assert.deepEqual(margin, { top: 1.5, right: 0.5, bottom: '2cm', left: 0.5 });
});

test('tt and its environment: empty is not set, a slash at the end is none, a mistake is named', async () => {
  server.play(json(200, usage));
  const own = await createCommandLine(undefined);
  try {
    const login = await own.tt(['login', '--url', server.origin], { input: 'tt_key' });
    assert.equal(login.code, 0, login.stderr);
    for (const environment of [
      { TINTYPE_URL: '', TINTYPE_API_KEY: '' },
      { TINTYPE_URL: `${server.origin}/` },
    ] as Record<string, string>[]) {
      const { code, stderr } = await own.tt(['status'], { environment });
      assert.equal(code, 0, stderr);
    }
    server.play(picture);
    const mistakes: [environment: Record<string, string>, says: RegExp][] = [
      [{ TINTYPE_URL: 'localhost:4300', TINTYPE_API_KEY: 'tt_a' }, /TINTYPE_URL must begin with http:\/\//],
      [{ TINTYPE_URL: 'garbage', TINTYPE_API_KEY: 'tt_a' }, /TINTYPE_URL must begin with http:\/\//],
      [{ TINTYPE_API_KEY: 'tt_a b' }, /TINTYPE_API_KEY must consist of printable/],
    ];
    for (const [environment, says] of mistakes) {
      const { code, stderr } = await own.tt(['screenshot', url], { environment });
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
    }
    assert.equal(server.seen.length, 0);
  } finally {
    await own.remove();
  }
});

test('tt shots warns of the quota when it ran out', async () => {
  const quota = (remaining: number): Record<string, string> => ({
    'x-service-quota-limit': '5',
    'x-service-quota-remaining': String(remaining),
    'x-service-quota-usage-percent': '100',
    'x-service-quota-warning': '100',
  });
  await writeFile(join(line.folder, 'urls.txt'), 'a.test\nb.test\n');
  server.play(picture, refusal(402, 'quota_exceeded', quota(0)));
  const { code, stderr } = await line.tt(['shots', '-f', 'urls.txt', '-o', 'shots']);
  assert.equal(code, 5, stderr);
  assert.match(stderr, /100 % of the monthly quota of renders is used/);
});

test('tt shots: a line that is not a URL is named by its number', async () => {
  await writeFile(join(line.folder, 'bad.txt'), '# pages\na.test\n\nhttp://[\n');
  const { code, stderr } = await line.tt(['shots', '-f', 'bad.txt', '-o', 'shots']);
  assert.equal(code, 2);
  assert.match(stderr, /line 4 of bad\.txt: not a URL: http:\/\/\[/);
});
