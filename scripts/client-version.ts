// The version of the clients, which rises with every change of their bytes: a lock file that pins an address must find the same bytes there
// for ever. clients/version.json has the version and a digest of everything that the packages are made of; `npm run document` raises the
// version when the digest is another; the build and a test fail if that was forgotten.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const recordPath = join(root, 'clients/version.json');

interface Recorded {
  version: string;
  digest: string;
}

export const recordedVersion = (): Recorded => JSON.parse(readFileSync(recordPath, 'utf8')) as Recorded;

/** Of the sources, what packs them, and the compiler. */
export function clientsDigest(): string {
  const files = globSync('clients/{library,shared,cli,mcp,python}/{src/*.ts,*.json,*.md,*.py}', {
    cwd: root,
  });
  const others = ['LICENSE', 'scripts/build-clients.ts', 'src/http/tar.ts', 'src/http/zip.ts'];
  const hash = createHash('sha256');
  for (const name of [...files, ...others].map((file) => file.replaceAll('\\', '/')).toSorted())
    hash.update(`${name}\0${readFileSync(join(root, name), 'utf8').replaceAll('\r\n', '\n')}\0`);
  const compiler = readFileSync(join(root, 'node_modules/rolldown/package.json'), 'utf8');
  return hash.update((JSON.parse(compiler) as Recorded).version).digest('hex');
}

/** The places that have the version. */
const places: [file: string, line: RegExp][] = [
  ['clients/library/src/version.ts', /(version = ')[^']+/],
  ['clients/python/tintype.py', /(^__version__ = ")[^"]+/m],
  ['src/site/clients-version.ts', /(clientsVersion = ')[^']+/],
  ...['library', 'cli', 'mcp'].map((name): [string, RegExp] => [
    `clients/${name}/package.json`,
    /("version": ")[^"]+/,
  ]),
];

export function raiseClientsVersion(): void {
  const { version, digest } = recordedVersion();
  if (clientsDigest() === digest) return;
  const [major, minor, patch] = version.split('.').map(Number);
  const next = `${major}.${minor}.${(patch ?? 0) + 1}`;
  for (const [file, line] of places) {
    const path = join(root, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(line, `$1${next}`));
  }
  writeFileSync(recordPath, `${JSON.stringify({ version: next, digest: clientsDigest() }, null, 2)}\n`);
}
