// tt render against a real service: a document with its files, a page behind a token, and what is refused before it is sent.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

let service: TestService;
let site: PageServer;
let line: CommandLine;

before(async () => {
  site = await startPageServer({
    '/': ({ headers }, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<p>${String(headers['x-token'])} ${String(headers.cookie)}</p><img src="/gone.png">`),
    '/gone.png': (_request, response) => response.writeHead(404).end(),
  });
  service = await startService({ EGRESS_ALLOW: site.host });
  const { key } = await service.newKey();
  line = await createCommandLine({ url: service.origin, key });
});
after(async () => {
  await line.remove();
  await service.stop();
  await site.close();
});

test('a document with its files becomes the format that the name of the output says', async () => {
  await mkdir(join(line.folder, 'doc/img'), { recursive: true });
  await writeFile(join(line.folder, 'doc/invoice.html'), '<h1>Invoice</h1><img src="img/logo.png">');
  await writeFile(join(line.folder, 'doc/img/logo.png'), await png());
  const args = [
    'render',
    'doc/invoice.html',
    '--file',
    'img/logo.png',
    '-o',
    'out/invoice.pdf',
    '--margin',
    '1cm',
  ];
  const { code, stdout, stderr } = await line.tt(args);
  assert.deepEqual([code, stdout.toString(), stderr], [0, 'out/invoice.pdf\n', '']);
  assert.equal((await readFile(join(line.folder, 'out/invoice.pdf'))).toString('latin1', 0, 5), '%PDF-');
});

test('a page behind a token as text; a warning goes to stderr', async () => {
  const { code, stdout, stderr } = await line.tt([
    'render',
    '--format',
    'text',
    '--header',
    'X-Token: abc',
    '--cookie',
    'a=b',
    '--block',
    'fonts',
    site.base,
  ]);
  assert.equal(stdout.toString().trim(), 'abc a=b');
  assert.match(stderr, /^tt: 1 warning; --json shows them \(render \w{20}\)\n$/);
  assert.equal(code, 0);
});

test('an address without a scheme whose page speaks http gets advice', async () => {
  const { code, stderr } = await line.tt(['screenshot', site.host, '--retries', '0', '--json']);
  assert.notEqual(code, 0);
  assert.match(
    stderr,
    /certificate or encryption is not valid[^]*for a page without encryption, begin it with http:\/\//,
  );
});

test('the message of a refusal names the flag', async () => {
  const narrow = await line.tt(['screenshot', site.base, '--width', '1', '--json']);
  assert.match(narrow.stderr, /^tt: --width: must be an integer from 320 to 3840, not 1 /);
  const text = await line.tt(['render', site.base, '--format', 'text', '--full-page']);
  assert.match(text.stderr, /^tt: --full-page: does not fit text/);
});

test('a mistake is named before anything is sent, and a secret is not repeated', async () => {
  const wrong = async (...args: string[]) => {
    const { code, stderr } = await line.tt(['render', ...args]);
    assert.equal(code, 2);
    return stderr;
  };
  assert.match(await wrong('none.md'), /cannot read none\.md/);
  assert.match(await wrong('--block', 'everything', 'example.com'), /--block must be ads, cookie_banners/);
  const stderr = await wrong('--header', 'secret', 'example.com');
  assert.match(stderr, /--header must be "Name: value"/);
  assert.doesNotMatch(stderr, /secret/);
});

test('--async queues the render and prints its id', async () => {
  const { code, stdout } = await line.tt(['render', site.base, '--async', '--format', 'text']);
  assert.equal(code, 0);
  assert.match(stdout.toString(), /^\w{20}\n$/);
  const refused = await line.tt(['render', site.base, '--async', '--link']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--async has no result yet/);
});
