// The packed library on every runtime that it is for, and in bundles. Each tool is fetched from npm in a fixed version; the results are
// printed as a table, which lab/figures/clients.md has.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { installLibrary } from './packed-library.ts';

const run = promisify(execFile);
const table: string[] = [];
let service: TestService;
let site: PageServer;
let folder: string;
let remove: () => Promise<void>;
let environment: NodeJS.ProcessEnv;

before(async () => {
  ({ path: folder, remove } = await temporaryFolder());
  site = await startPageServer({ '/': '<!doctype html><h1>Hello</h1>' });
  service = await startService({ EGRESS_ALLOW: site.host });
  const { key } = await service.newKey();
  environment = { ...process.env, TINTYPE_URL: service.origin, TINTYPE_API_KEY: key, PAGE: site.base };
  await installLibrary(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await writeFile(join(folder, 'image.png'), await png());
  await writeFile(join(folder, 'program.mjs'), program);
  await writeFile(join(folder, 'program.cjs'), commonJs);
});
after(async () => {
  process.stdout.write(`| tried | result |\n|---|---|\n${table.join('\n')}\n`);
  await service.stop();
  await site.close();
  await remove();
});

/** Every kind of file, progress, both renders, many at once, errors. */
const program = `
import { readFile } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { pathToFileURL } from 'node:url';
import process from 'node:process';
import { Buffer } from 'node:buffer';
import { Tintype, TintypeError } from '@tintype/client';
const tintype = new Tintype({ maxRetries: 0 });
const bytes = new Uint8Array(await readFile('image.png'));
const inputs = {
  path: 'image.png', fileUrl: pathToFileURL('image.png'), buffer: Buffer.from(bytes), bytes, arrayBuffer: bytes.buffer,
  blob: new Blob([bytes]), file: new File([bytes], 'a.png'), nodeStream: createReadStream('image.png'),
  webStream: new Blob([bytes]).stream(), generator: (async function* () { yield bytes; })(),
};
const sizes = {};
for (const [name, input] of Object.entries(inputs)) sizes[name] = (await tintype.upload(input)).sizeBytes;
const told = [];
await tintype.upload(new Uint8Array([...bytes, ...new Uint8Array(300_000)]), { onProgress: ({ sentBytes }) => told.push(sentBytes) });
const picture = await tintype.screenshot(process.env.PAGE);
const link = await tintype.pdfLink(process.env.PAGE);
const all = [];
for await (const item of tintype.screenshotAll([process.env.PAGE, process.env.PAGE + '/?2'])) all.push(item.ok);
const error = await tintype.upload(new Uint8Array(3)).catch((reason) => reason);
const download = await tintype.download(link);
console.log(JSON.stringify({
  sizes: new Set(Object.values(sizes)).size === 1, inputs: Object.keys(sizes).length, progress: told.length > 2, picture: picture.contentType,
  all, code: error instanceof TintypeError && error.code, download: download.contentType,
}));
`;
const commonJs = `
const { Tintype } = require('@tintype/client');
new Tintype().upload('image.png').then(({ contentType }) => console.log(contentType));
`;
const expected = {
  sizes: true,
  inputs: 10,
  progress: true,
  picture: 'image/png',
  all: [true, true],
  code: 'unsupported_type',
  download: 'application/pdf',
};

/** The folder of an npm package in a folder of its own; undefined, with the reason, if it cannot be fetched. */
function fetchTool(context: TestContext, name: string, version: string): string | undefined {
  const place = join(folder, 'tools', name);
  const args = ['install', `${name}@${version}`, '--prefix', place, '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (status === 0) return join(place, 'node_modules');
  context.skip(`${name}@${version} could not be fetched: ${stderr.slice(0, 300)}`);
  return undefined;
}

const runtimes: { name: string; version: string; binary: string; args: string[] }[] = [
  { name: 'node', version: '20.9.0', binary: 'node', args: [] },
  { name: 'node', version: '26.10.0', binary: 'node', args: [] },
  { name: 'bun', version: '1.4.4', binary: 'bun', args: [] },
  {
    name: 'deno',
    version: '2.9.6',
    binary: 'deno',
    args: ['run', '--allow-all', '--node-modules-dir=manual'],
  },
];

for (const { name, version, binary, args } of runtimes) {
  test(`${name} ${version}`, async (context) => {
    const modules = fetchTool(context, name, version);
    if (modules === undefined) return;
    const tool = join(modules, '.bin', binary);
    const options = { cwd: folder, env: environment, timeout: 240_000 };
    const { stdout } = await run(tool, [...args, 'program.mjs'], options);
    assert.deepEqual(JSON.parse(stdout), expected);
    assert.equal((await run(tool, [...args, 'program.cjs'], options)).stdout.trim(), 'image/png');
    table.push(
      `| ${name} ${version} | ESM and CommonJS work: ten kinds of files, progress, renders, many at once |`,
    );
  });
}

test('esbuild: a bundle for browsers without anything of Node, also for platform neutral', async (context) => {
  const modules = fetchTool(context, 'esbuild', '0.28.2');
  if (modules === undefined) return;
  await writeFile(join(folder, 'all.js'), `export * from '@tintype/client';`);
  await writeFile(join(folder, 'one.js'), `export { TintypeError } from '@tintype/client';`);
  const bundle = async (entry: string, platform: string): Promise<Buffer> => {
    const args = [
      entry,
      '--bundle',
      '--minify',
      '--format=esm',
      `--platform=${platform}`,
      '--outfile=out.js',
    ];
    // Paths need Node; a neutral bundle leaves that import for the runtime.
    await run(
      join(modules, '.bin/esbuild'),
      [...args, ...(platform === 'neutral' ? ['--external:node:*', '--main-fields=module'] : [])],
      { cwd: folder },
    );
    return readFile(join(folder, 'out.js'));
  };
  const whole = await bundle('all.js', 'browser');
  assert.doesNotMatch(whole.toString(), /["']node:/);
  const one = await bundle('one.js', 'browser');
  assert.ok(one.length < whole.length / 4, 'unused parts are left out');
  await bundle('all.js', 'neutral');
  table.push(
    `| esbuild 0.28.2, browser | ${kilobytes(whole.length)}, ${kilobytes(gzipSync(whole).length)} gzip; nothing of Node; \`TintypeError\` only: ${one.length} bytes |`,
  );
});

test('Vite builds it for browsers', async () => {
  await writeFile(join(folder, 'index.html'), '<script type="module" src="/all.js"></script>');
  await writeFile(join(folder, 'all.js'), `import * as all from '@tintype/client'; console.log(all);`);
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const { stdout } = await run(process.execPath, [vite, 'build', '--outDir', 'vite'], { cwd: folder });
  const size = /\.js\s+([\d.]+) kB │ gzip: ([\d.]+) kB/.exec(stdout);
  assert.ok(size, stdout);
  table.push(`| Vite 8 | builds: ${size[1]} kB, ${size[2]} kB gzip |`);
});

test('publint and are-the-types-wrong find nothing wrong in the tarball', async (context) => {
  const publint = fetchTool(context, 'publint', '0.3.25');
  const types = fetchTool(context, '@arethetypeswrong/cli', '0.18.5');
  if (publint === undefined || types === undefined) return;
  const tarball = join(root, 'clients/dist/tintype-client.tgz');
  // Fails on a warning. It also suggests "exports" instead of the "browser" field, which every bundler reads.
  await run(join(publint, '.bin/publint'), ['run', tarball, '--strict'], { cwd: folder });
  const { stdout } = await run(join(types, '.bin/attw'), [tarball, '--format', 'json'], { cwd: folder });
  const { analysis } = JSON.parse(stdout) as { analysis: { problems: unknown[] } };
  assert.deepEqual(analysis.problems, []);
  table.push('| publint 0.3.25 `--strict`, are-the-types-wrong 0.18.5 | no errors, no warnings |');
});

for (const name of ['client', 'cli', 'mcp']) {
  test(`@tintype/${name}: its size, and the packages that it brings`, async () => {
    const tarball = join(root, `clients/dist/tintype-${name}.tgz`);
    const prefix = join(folder, 'installed', name);
    await mkdir(prefix, { recursive: true });
    const args = ['install', tarball, '--prefix', prefix, '--no-audit', '--no-fund'];
    const { stdout } = await run('npm', args, { cwd: prefix });
    assert.match(stdout, /added 1 package/);
    table.push(
      `| \`tintype-${name}.tgz\` | ${kilobytes((await readFile(tarball)).length)}; installs 1 package |`,
    );
  });
}

test('workerd, by miniflare', async (context) => {
  const esbuild = fetchTool(context, 'esbuild', '0.28.2');
  const modules = fetchTool(context, 'miniflare', '4.20260730.0');
  if (esbuild === undefined || modules === undefined) return;
  await writeFile(join(folder, 'worker.js'), worker);
  const args = ['worker.js', '--bundle', '--format=esm', '--platform=browser', '--outfile=worker.mjs'];
  await run(join(esbuild, '.bin/esbuild'), args, { cwd: folder });
  await writeFile(join(folder, 'tools/miniflare/host.mjs'), workerHost);
  const { stdout } = await run(process.execPath, [join(folder, 'tools/miniflare/host.mjs')], {
    cwd: folder,
    env: environment,
    timeout: 120_000,
  });
  assert.deepEqual(JSON.parse(stdout), { upload: 'image/png', stream: 'image/png', picture: 'image/png' });
  table.push('| workerd (miniflare 4.20260730.0) | bytes, streams and renders work |');
});

const worker = `
import { Tintype } from '@tintype/client';
export default {
  async fetch(request, { url, key, page }) {
    const tintype = new Tintype({ baseUrl: url, apiKey: key, maxRetries: 0 });
    const bytes = new Uint8Array(await request.arrayBuffer());
    const upload = await tintype.upload(bytes);
    const stream = await tintype.upload(new Blob([bytes]).stream());
    const picture = await tintype.screenshot(page);
    return Response.json({ upload: upload.contentType, stream: stream.contentType, picture: picture.contentType });
  },
};
`;
const workerHost = `
import { readFile } from 'node:fs/promises';
import { Miniflare } from 'miniflare';
const { TINTYPE_URL: url, TINTYPE_API_KEY: key, PAGE: page } = process.env;
const miniflare = new Miniflare({
  modules: true, script: await readFile('worker.mjs', 'utf8'), compatibilityDate: '2026-01-01', bindings: { url, key, page },
});
const response = await miniflare.dispatchFetch('http://worker.test/', { method: 'POST', body: await readFile('image.png') });
console.log(await response.text());
await miniflare.dispose();
`;

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
