// The MCP server, driven by the official SDK's client through every tool, against a real service.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import sharp from 'sharp';
import { png } from '#lab/support/images.ts';
import { startPageServer, type PageServer } from '#lab/support/page-server.ts';
import { startService, type TestService } from '#lab/support/service.ts';
import { buildTt, createCommandLine, type CommandLine } from './tt.ts';

let service: TestService;
let site: PageServer;
let line: CommandLine;
let assistant: Client;

before(async () => {
  site = await startPageServer({ '/': '<!doctype html><body style="background:#fc0"><h1>Hello</h1>' });
  service = await startService({ EGRESS_ALLOW: site.host });
  const { key } = await service.newKey();
  line = await createCommandLine({ url: service.origin, key });
  assistant = new Client({ name: 'test', version: '1.0.0' });
  await assistant.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [buildTt(), 'mcp'],
      env: line.environment,
      cwd: line.folder,
      stderr: 'ignore',
    }),
  );
});
after(async () => {
  await assistant.close();
  await line.remove();
  await service.stop();
  await site.close();
});

test('the tools are listed with the schemas of the API', async () => {
  const { tools } = await assistant.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['upload_image', 'screenshot', 'pdf'],
  );
  const properties = tools[1]?.inputSchema.properties as Record<string, { maximum?: number }>;
  assert.deepEqual(Object.keys(properties), ['url', 'full_page', 'format', 'width', 'height', 'save_to']);
  assert.equal(properties['width']?.maximum, 3840);
});

test('screenshot: the picture comes back as image content, and as a file where asked', async () => {
  const { content, isError } = await call('screenshot', {
    url: site.base,
    width: 400,
    height: 320,
    format: 'jpeg',
    save_to: 'page.jpg',
  });
  assert.equal(isError, undefined);
  const [picture, facts] = content;
  assert.ok(picture?.type === 'image' && facts?.type === 'text');
  assert.equal(picture.mimeType, 'image/jpeg');
  const { width, height } = await sharp(Buffer.from(picture.data, 'base64')).metadata();
  assert.deepEqual([width, height], [400, 320]);
  const { size_bytes, saved_to } = JSON.parse(facts.text) as { size_bytes: number; saved_to: string };
  assert.equal((await readFile(saved_to)).length, size_bytes);
});

test('pdf: the document comes back as a link, or as a file where asked', async () => {
  const { content } = await call('pdf', { url: site.base, paper_format: 'a4', wait_until: 'load' });
  const [link, facts] = content;
  assert.ok(link?.type === 'resource_link' && facts?.type === 'text');
  assert.deepEqual(
    [link.mimeType, (JSON.parse(facts.text) as { paper_format: string }).paper_format],
    ['application/pdf', 'a4'],
  );
  const hosted = await fetch(service.origin + new URL(link.uri).pathname);
  assert.equal(hosted.headers.get('content-type'), 'application/pdf');

  await call('pdf', { url: site.base, wait_until: 'load', save_to: 'page.pdf' });
  assert.equal((await readFile(join(line.folder, 'page.pdf'))).subarray(0, 5).toString(), '%PDF-');
});

test('upload_image: from a path and from bytes, without the secret of its delete link', async () => {
  const image = await png();
  await writeFile(join(line.folder, 'local.png'), image);
  for (const input of [{ path: 'local.png' }, { data: image.toString('base64'), filename: 'local.png' }]) {
    const { content } = await call('upload_image', { ...input, expires_in: 3600 });
    const [facts] = content;
    assert.ok(facts?.type === 'text');
    const upload = JSON.parse(facts.text) as Record<string, unknown>;
    assert.match(String(upload['url']), /^http:\/\/tintype\.test\/i\//);
    assert.equal(upload['filename'], 'local.png');
    assert.ok(!facts.text.includes('token='));
  }
});

test('a failure is told to the assistant, with its code', async () => {
  const cases: [tool: string, input: Record<string, unknown>, says: RegExp][] = [
    ['screenshot', { url: 'http://10.0.0.1/' }, /^validation_error: url: /],
    ['screenshot', { url: site.base, width: 1 }, /^validation_error: width: /],
    ['screenshot', { url: site.base, colour: 'red' }, /^validation_error: colour: /],
    ['upload_image', {}, /give path or data/],
    ['upload_image', { path: 'nowhere.png' }, /^unreadable_file: cannot read nowhere\.png/],
    ['paint', {}, /there is no tool paint/],
  ];
  for (const [tool, input, says] of cases) {
    const { content, isError } = await call(tool, input);
    assert.ok(isError && content[0]?.type === 'text');
    assert.match(content[0].text, says);
  }
});

function call(name: string, input: Record<string, unknown>): Promise<CallToolResult> {
  return assistant.callTool({ name, arguments: input }) as Promise<CallToolResult>;
}
