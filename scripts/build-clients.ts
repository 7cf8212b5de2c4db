// Builds what the service serves under /clients/: the npm packages as tarballs, and the Python module, alone and as a wheel. Each package contains all of
// our code that it needs, so that it installs from its URL. The same sources give the same bytes on every machine.
import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { transformSync } from 'rolldown/utils';
import { zipOf } from '#http/zip.ts';
import { tarEnd, tarHeader, tarPadding } from '#http/tar.ts';
import { clientsDigest, recordedVersion } from './client-version.ts';

const root = join(import.meta.dirname, '..');
const clients = join(root, 'clients');
const target = 'es2022';
/** What npm itself writes into its tarballs. */
const modifiedAt = Date.parse('1985-10-26T08:15:00Z');

/** Folder below clients/ → which compiled files its package contains, and where. */
const packages: Record<string, Record<string, string>> = {
  library: { 'dist/esm': 'esm/library/src/*.{js,d.ts}', 'dist/cjs': 'cjs/library/src/*.{js,d.ts}' },
  cli: {
    'dist/library/src': 'esm/library/src/*.js',
    'dist/shared/src': 'esm/shared/src/*.js',
    'dist/cli/src': 'esm/cli/src/*.js',
  },
  mcp: {
    'dist/library/src': 'esm/library/src/*.js',
    'dist/shared/src': 'esm/shared/src/*.js',
    'dist/mcp/src': 'esm/mcp/src/*.js',
  },
};

/**
 * Each package under its plain name, and under one with its version, which a lock file can pin. Refuses to build other packages than those
 * that the version stands for.
 */
export async function buildClients(folder: string, recorded = recordedVersion()): Promise<void> {
  if (clientsDigest() !== recorded.digest)
    throw new Error(
      `the clients are not those of version ${recorded.version}, which stays what it is; \`npm run document\` raises the version`,
    );
  // Written next to the target first, so that a reader only finds complete files; several processes may do this at once.
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, '.work-'));
  try {
    await compile(work);
    for (const [name, layout] of Object.entries(packages)) {
      const manifest = readFileSync(join(clients, name, 'package.json'));
      const { name: scoped, version } = JSON.parse(manifest.toString()) as { name: string; version: string };
      const files = new Map<string, Buffer>([
        ['package.json', manifest],
        ['README.md', readFileSync(join(clients, name, 'README.md'))],
        ['LICENSE', readFileSync(join(root, 'LICENSE'))],
      ]);
      for (const [place, pattern] of Object.entries(layout)) {
        for (const path of globSync(pattern, { cwd: work }).toSorted())
          files.set(`${place}/${path.split('/').at(-1)}`, readFileSync(join(work, path)));
      }
      if (name === 'library') files.set('dist/cjs/package.json', Buffer.from('{ "type": "commonjs" }\n'));
      const tarball = gzipSync(tarOf(files), { level: 9 });
      const plain = scoped.slice(1).replace('/', '-');
      put(`${plain}.tgz`, tarball);
      put(`${plain}-${version}.tgz`, tarball);
    }
    const module = readFileSync(join(clients, 'python/tintype.py'));
    put('tintype.py', module);
    put(`tintype-${recorded.version}-py3-none-any.whl`, await wheelOf(module, recorded.version));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }

  function put(name: string, bytes: Buffer): void {
    writeFileSync(join(work, name), bytes);
    renameSync(join(work, name), join(folder, name));
  }
}

/** All of our code into ESM, file by file, and the library into CommonJS as well. */
export async function compile(folder: string): Promise<void> {
  for (const path of globSync('{library,shared,cli,mcp}/src/*.ts', { cwd: clients })) {
    const source = readFileSync(join(clients, path), 'utf8');
    const { code, errors } = transformSync(path, source, {
      target,
      typescript: { rewriteImportExtensions: 'rewrite' },
    });
    refuse(path, errors);
    write(join(folder, 'esm', path.replace(/\.ts$/, '.js')), code);
    if (!path.startsWith('library/')) continue;
    const types = isolatedDeclarationSync(path, source);
    refuse(path, types.errors);
    for (const form of ['esm', 'cjs']) write(join(folder, form, path.replace(/\.ts$/, '.d.ts')), types.code);
  }
  const bundle = await rolldown({
    input: join(clients, 'library/src/index.ts'),
    platform: 'node',
    treeshake: false,
    transform: { target },
  });
  await bundle.write({
    dir: join(folder, 'cjs/library/src'),
    format: 'cjs',
    preserveModules: true,
    entryFileNames: '[name].js',
  });
  await bundle.close();
}

function refuse(path: string, errors: { message: string }[]): void {
  if (errors.length > 0)
    throw new Error(`clients/${path} does not compile:\n${errors.map(({ message }) => message).join('\n')}`);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function tarOf(files: Map<string, Buffer>): Buffer {
  const parts = [...files].flatMap(([name, bytes]) => [
    tarHeader(`package/${name}`, bytes.length, modifiedAt),
    bytes,
    tarPadding(bytes.length),
  ]);
  return Buffer.concat([...parts, tarEnd]);
}

/** A folder, not a single file: py.typed, which tells type checkers that the module has types, must be beside it. PEP 427, 561. */
async function wheelOf(module: Buffer, version: string): Promise<Buffer> {
  const info = `tintype-${version}.dist-info`;
  const metadata = `Metadata-Version: 2.1
Name: tintype
Version: ${version}
Summary: Client for a Tintype service: image hosting, screenshots and PDFs.
License: MIT
Requires-Python: >=3.9
`;
  const kind = 'Wheel-Version: 1.0\nGenerator: tintype\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const files: [name: string, bytes: Buffer][] = [
    ['tintype/__init__.py', module],
    ['tintype/py.typed', Buffer.alloc(0)],
    [`${info}/LICENSE`, readFileSync(join(root, 'LICENSE'))],
    [`${info}/METADATA`, Buffer.from(metadata)],
    [`${info}/WHEEL`, Buffer.from(kind)],
  ];
  const record = files.map(([name, bytes]) => {
    const digest = createHash('sha256').update(bytes).digest('base64url');
    return `${name},sha256=${digest},${bytes.length}\n`;
  });
  files.push([`${info}/RECORD`, Buffer.from(`${record.join('')}${info}/RECORD,,\n`)]);
  const entries = files.map(([name, bytes]) => ({
    name,
    sizeBytes: bytes.length,
    modifiedAt,
    open: async () => ({ stream: Readable.from([bytes]) as AsyncIterable<Buffer>, [Symbol.dispose]() {} }),
  }));
  const chunks: Buffer[] = [];
  for await (const chunk of zipOf(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

if (import.meta.main) await buildClients(join(clients, 'dist'));
