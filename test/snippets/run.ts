// Runs a block as it stands, in its language.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { root } from '#test/support/processes.ts';
import { startService } from '#test/support/service.ts';
import type { Desk } from './desk.ts';

type Run = (code: string, place: string, desk: Desk) => Promise<void>;

/** By the language of the block; `typescript` and `curl` are the names that /docs uses. */
export const runs: Record<string, Run> = {
  sh: shell,
  curl: shell,
  js: typescript,
  ts: typescript,
  typescript,
  async python(code, place, desk) {
    await shell('curl --fail -sSO "$TINTYPE_URL/clients/tintype.py"', place, desk);
    await writeFile(join(folderOf(place, desk), 'snippet.py'), code);
    await shell('python3 snippet.py', place, desk);
  },
  async jsonl(code, place, desk) {
    await writeFile(join(place, 'pages.jsonl'), code);
    await shell('tt shots -f pages.jsonl -o from-list', place, desk);
  },
  css: (code, _place, desk) => print({ html: `<style>${code}</style><h1>Hello</h1>` }, desk),
  html: (code, _place, desk) => print({ html: `${code}<h1 id="costs">Costs</h1>`, page_numbers: true }, desk),
  async json(code, place, desk) {
    const value = JSON.parse(code) as Record<string, unknown>;
    const use = Object.entries(jsonUses).find(([field]) => Object.hasOwn(value, field))?.[1];
    assert.ok(use, `test/snippets/run.ts does not know what this JSON is for: ${code}`);
    await use(value, place, desk);
  },
};

/** What runs until Ctrl-C says so, and is interrupted as soon as it does. */
const untilInterrupted = 'Ctrl-C ends it';

const folderOf = (place: string, desk: Desk): string => desk.wentTo.get(place) ?? place;

/** Each command must succeed, and each file of `-o` must be there afterwards. The key is what `tt login` reads. */
async function shell(code: string, place: string, desk: Desk): Promise<void> {
  const left = join(desk.folder, 'left');
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', `trap : INT\n${code}\npwd > "$LEFT"`], {
    cwd: folderOf(place, desk),
    env: { ...desk.environment, LEFT: left },
    detached: true,
    timeout: 600_000,
  });
  let output = '';
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    if (chunk.includes(untilInterrupted)) process.kill(-(child.pid as number), 'SIGINT');
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  // Commands that read nothing may end before it is written.
  child.stdin.on('error', () => {}).end(desk.key);
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  assert.equal(status, 0, `${code}\n${output}`);
  const folder = (await readFile(left, 'utf8')).trim();
  desk.wentTo.set(place, folder);
  for (const [, file = ''] of code.matchAll(/ -o (\S+)/g))
    assert.ok((await stat(join(folder, file))).size > 0, `${file} is empty:\n${code}`);
}

async function typescript(code: string, place: string, desk: Desk): Promise<void> {
  const name = `snippet-${desk.programs.length}.mts`;
  const path = join(folderOf(place, desk), name);
  desk.programs.push(path);
  await writeFile(path, code);
  await shell(`node ${name}`, place, desk);
}

/** All programs that were run, in one go: the compiler takes a second to start. */
export async function checkTypes(desk: Desk): Promise<void> {
  const flags = '--ignoreConfig --noEmit --strict --module nodenext --target es2024 --types node'.split(' ');
  const types = ['--typeRoots', join(root, 'node_modules/@types')];
  const command = [join(root, 'node_modules/.bin/tsc'), ...flags, ...types, ...desk.programs];
  await shell(command.map((word) => `'${word}'`).join(' '), desk.folder, desk);
}

async function print(fields: object, { service, key }: Desk): Promise<void> {
  const response = await fetch(`${service.origin}/api/v2/renders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'pdf', ...fields }),
  });
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
}

/** By a field that the value has. */
const jsonUses: Record<string, (value: Record<string, unknown>, place: string, desk: Desk) => Promise<void>> =
  {
    /** The settings of an assistant: its client starts the server and uploads a picture. */
    async mcpServers({ mcpServers }, place, { environment }) {
      for (const { command, args, env } of Object.values(mcpServers as Record<string, McpSettings>)) {
        const client = new Client({ name: 'snippets', version: '1' });
        const { PATH = '', HOME = '', npm_config_cache = '', npm_config_registry = '' } = environment;
        await client.connect(
          new StdioClientTransport({
            command,
            args,
            env: { PATH, HOME, npm_config_cache, npm_config_registry, ...env },
            cwd: place,
            stderr: 'ignore',
          }),
        );
        const result = await client.callTool({ name: 'upload_image', arguments: { path: 'photo.png' } });
        await client.close();
        assert.notEqual(result.isError, true, JSON.stringify(result));
      }
    },
    /** A PLANS_FILE: a service starts with it and has accounts on each plan. */
    async plans(value, place) {
      const file = join(place, 'plans.json');
      await writeFile(file, JSON.stringify(value));
      const service = await startService({ PLANS_FILE: file });
      try {
        for (const { id } of value['plans'] as { id: string }[]) await service.newKey({ plan: id });
      } finally {
        await service.stop();
      }
    },
    /** Of a request for a PDF. */
    header: (value, _place, desk) => print({ html: '<h1>Hello</h1>', ...value }, desk),
    /** The response to a hosted screenshot: the same fields, and the values of the request. */
    async full_page(value, _place, desk) {
      const { service, key } = desk;
      const response = await fetch(`${service.origin}/api/v1/screenshot`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: await desk.fill('{"url": "https://example.com", "full_page": true, "response": "json"}'),
      });
      const said = { ...((await response.json()) as Record<string, unknown>) };
      assert.deepEqual(Object.keys(said), Object.keys(value));
      for (const name of ['format', 'width', 'height', 'full_page'])
        assert.equal(said[name], value[name], name);
    },
    /** The response to the upload of docs/sample.png. */
    async delete_url(value, _place, { service, key }) {
      const form = new FormData();
      form.set('file', new Blob([await readSample()]), 'sample.png');
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${service.origin}/api/v1/upload`, {
        method: 'POST',
        headers,
        body: form,
      });
      const told = (await response.json()) as Record<string, unknown>;
      assert.deepEqual(anonymous(told), anonymous(value));
    },
  };

interface McpSettings {
  command: string;
  args: string[];
  env: Record<string, string>;
}

const readSample = async (): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await readFile(join(root, 'docs/sample.png')));

/** Without what is different each time: the id, the slug and the token. */
function anonymous({ id, slug, ...fields }: Record<string, unknown>): unknown {
  const text = JSON.stringify(fields)
    .replaceAll(String(id), '<id>')
    .replaceAll(String(slug), '<slug>')
    .replace(/token=[^"]+/, 'token=<token>');
  return JSON.parse(text);
}
