// What the integrations page gives to copy is run here as it is: scripts, programs and configurations, against the service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { freePort, root, temporaryFolder } from '#test/support/processes.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';
import { toolNames, type ToolName } from '#console/integrations.ts';
import { buildClients } from '#scripts/build-clients.ts';

const run = promisify(execFile);
let service: TestService;
let site: PageServer;
let place: Awaited<ReturnType<typeof temporaryFolder>>;
let picture: string;
let visitor: Awaited<ReturnType<typeof signedInVisitor>>;

before(async () => {
  await buildClients(join(root, 'clients/dist'));
  site = await startPageServer();
  const port = await freePort();
  service = await startService({
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    EGRESS_ALLOW: site.host,
  });
  place = await temporaryFolder();
  picture = join(place.path, 'a b,c;d.png');
  await writeFile(picture, await png());
  visitor = await signedInVisitor(service);
});
after(async () => {
  await service.stop();
  await site.close();
  await place.remove();
});

async function make(tool: ToolName) {
  const { status, body } = await visitor.call('POST /integrations', { body: { tool } });
  assert.equal(status, 201);
  return body;
}

/** An empty home; npm finds nothing in it and reaches no registry. */
async function homeOf(tool: string): Promise<{ home: string; env: Record<string, string> }> {
  const home = join(place.path, tool);
  await mkdir(home);
  const PATH = [join(home, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  return {
    home,
    env: {
      PATH,
      HOME: home,
      npm_config_cache: join(home, 'cache'),
      npm_config_prefix: home,
      npm_config_registry: 'http://127.0.0.1:9',
    },
  };
}

const isLink = async (link: string): Promise<boolean> =>
  link.startsWith(`${service.origin}/`) && (await fetch(link)).status === 200;

test('each has a key that may do what it needs and no more, and names this service', async () => {
  const scopes: Record<string, string> = {};
  for (const tool of toolNames) {
    const { content, key } = await make(tool);
    assert.ok(content.includes(service.origin) && /tt_\w{49}/.test(content), tool);
    scopes[tool] = key.scope;
  }
  assert.deepEqual(scopes, {
    client: 'all',
    tt: 'all',
    mcp: 'all',
    sharex: 'uploads',
    flameshot: 'uploads',
    macos: 'uploads',
    ios: 'uploads',
    shell: 'uploads',
  });
});

test('ShareX: the file describes a request that is accepted, and where its links and errors are', async () => {
  const { content, key } = await make('sharex');
  assert.equal(key.name, 'ShareX');
  const uploader = JSON.parse(content) as Record<string, string> & { Headers: Record<string, string> };
  const send = async (bytes: Buffer) => {
    const form = new FormData();
    form.set(uploader['FileFormName']!, new Blob([Uint8Array.from(bytes)]), 'shot.png');
    const response = await fetch(uploader['RequestURL']!, {
      method: uploader['RequestMethod']!,
      headers: uploader.Headers,
      body: form,
    });
    const answer = (await response.json()) as Record<string, unknown>;
    /** ShareX replaces {json:a.b} by that field. */
    const filled = (name: string) =>
      uploader[name]!.replace(/\{json:([\w.]+)\}/, (_, path: string) =>
        String(
          path.split('.').reduce<unknown>((inner, part) => (inner as Record<string, unknown>)[part], answer),
        ),
      );
    return { status: response.status, filled };
  };
  const stored = await send(await readFile(picture));
  assert.equal(stored.status, 201);
  assert.ok(await isLink(stored.filled('URL')));
  assert.ok(await isLink(stored.filled('ThumbnailURL')));
  assert.ok(stored.filled('DeletionURL').includes('/delete?token='));
  const refused = await send(Buffer.from('no picture'));
  assert.equal(refused.status, 415);
  assert.match(refused.filled('ErrorMessage'), /^file: /);
});

test('iOS: the values and steps of the shortcut make a request that is accepted, and find the link', async () => {
  const { content } = await make('ios');
  const values = Object.fromEntries(
    content
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/).slice(0, 2)),
  );
  assert.equal(values['Request body'], 'Form');
  const form = new FormData();
  form.set(values['File field'], new Blob([Uint8Array.from(await readFile(picture))]), 'image.png');
  const response = await fetch(values['URL'], {
    method: values['Method'],
    headers: { [values['Header']]: values['Value'] },
    body: form,
  });
  assert.equal(response.status, 201);
  const page = await readFile(join(root, 'dashboard/src/pages/integrations.tsx'), 'utf8');
  const field = /Get Dictionary Value for (\w+)/.exec(page)?.[1] ?? '';
  assert.ok(await isLink(((await response.json()) as Record<string, string>)[field]!));
});

for (const [tool, camera, clipboard, notifier] of [
  ['flameshot', 'cat "$PICTURE"', 'wl-copy', 'notify-send'],
  ['macos', 'cp "$PICTURE" "$2"', 'pbcopy', 'osascript'],
] as const) {
  test(`${tool}: the script uploads the selection, copies the link, and notifies of success and failure`, async () => {
    const { content, key } = await make(tool);
    const { home } = await homeOf(tool);
    const temporary = join(home, 'tmp');
    await mkdir(join(home, 'bin'));
    await mkdir(temporary);
    /** Stand-ins for the programs of the desktop. */
    const program = (name: string, line: string) =>
      writeFile(join(home, 'bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    await program(tool === 'macos' ? 'screencapture' : 'flameshot', `[ -z "$PICTURE" ] || ${camera}`);
    await program(clipboard, `cat > '${join(home, 'clipboard')}'`);
    await program(notifier, `for last; do :; done; printf '%s' "$last" > '${join(home, 'notice')}'`);
    const start = (PICTURE: string) =>
      run('sh', ['-c', content], { env: { PATH: `${home}/bin:/usr/bin:/bin`, TMPDIR: temporary, PICTURE } });
    const read = (name: string) => readFile(join(home, name), 'utf8');

    await start('');
    await assert.rejects(read('notice'), 'nothing was selected');
    await start(picture);
    const link = await read('clipboard');
    assert.ok(await isLink(link));
    assert.equal(await read('notice'), link);

    await visitor.call('POST /keys/:id/revoke', { id: key.id });
    await assert.rejects(start(picture), { code: 1 });
    assert.match(await read('notice'), /key/i);
    assert.equal(await read('clipboard'), link);
    assert.deepEqual(await readdir(temporary), []);
  });
}

test('shell: the function prints the link of a file whose name has a space, a comma and a semicolon', async () => {
  const { content } = await make('shell');
  const { stdout } = await run('sh', ['-c', `${content}tintype "$1"`, 'sh', picture]);
  assert.ok(await isLink(stdout.trim()));
});

test('tt: the lines install it from this service and sign in, and it then uploads', async () => {
  const { content } = await make('tt');
  const { env } = await homeOf('tt');
  const { stdout } = await run('sh', ['-ec', `${content}tt upload "$1"`, 'sh', picture], { env });
  assert.match(stdout, /Usage/i);
  assert.ok(await isLink(stdout.trim().split('\n').at(-1)!));
});

test('client: the command installs it, and the program prints the link of a screenshot', async () => {
  const { content, filename } = await make('client');
  const { home, env } = await homeOf('client');
  await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }');
  const program = content.replace('https://example.com', `${site.base}/print.html`);
  await writeFile(join(home, filename), program);
  const install = /^\/\/ (npm install .*)$/m.exec(content)?.[1] ?? '';
  await run('sh', ['-ec', install], { cwd: home, env: { ...env, npm_config_prefix: undefined } });
  const { stdout } = await run(process.execPath, [filename], { cwd: home, env });
  assert.ok(await isLink(stdout.trim()));
});

test('MCP: the configuration starts the server, which lists its tools', async () => {
  const { content } = await make('mcp');
  const { mcpServers } = JSON.parse(content) as {
    mcpServers: { tintype: { command: string; args: string[]; env: Record<string, string> } };
  };
  const { command, args, env } = mcpServers.tintype;
  const { home, env: own } = await homeOf('mcp');
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command, args, env: { ...own, ...env }, cwd: home, stderr: 'ignore' }),
  );
  try {
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'upload_image'));
  } finally {
    await client.close();
  }
});
