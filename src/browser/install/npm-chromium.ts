// The headless-shell of an npm package (@sparticuz/chromium), which has one for x64. The package's own code unpacks to a fixed, world-writable
// path and by default disables the sandbox: its files are used, its code is not.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { versionOf } from '#browser/install/chromium.ts';
import type { FetchWay } from '#browser/install/fetch-way.ts';
import { lockedPackage, npmPackage } from '#browser/install/npm-package.ts';

const name = '@sparticuz/chromium';

export async function npmWay(): Promise<FetchWay> {
  const { version } = await lockedPackage(name);
  const hasOne = process.platform === 'linux' && process.arch === 'x64';
  return {
    title: `npm (${name})`,
    name: 'npm',
    // It comes with Tintype. The milestone of the package is that of the browser.
    newest: () => Promise.resolve(hasOne ? version : null),
    async fill(draft, { environment, tell }) {
      tell(`${name} ${version}`);
      const temporary = join(draft, 'npm');
      await unpack(join(await npmPackage(name, temporary, environment), 'bin'), draft);
      await rm(temporary, { recursive: true, force: true });
      const executable = join(draft, 'chrome-headless-shell');
      const libraryFolders = await versionOf(executable, null).then(
        () => [],
        // What a minimal system lacks: NSS, NSPR, expat.
        () => [join(draft, 'lib')],
      );
      return { executable, libraryFolders };
    },
  };
}

async function unpack(source: string, folder: string): Promise<void> {
  await mkdir(join(folder, 'lib'));
  await Promise.all([
    pipeline(
      createReadStream(join(source, 'chromium.br')),
      createBrotliDecompress(),
      createWriteStream(join(folder, 'chrome-headless-shell'), { mode: 0o755 }),
    ),
    // Chromium looks for the software renderer next to the executable.
    unpackTar(join(source, 'swiftshader.tar.br'), folder),
    unpackTar(join(source, 'al2023.tar.br'), join(folder, 'lib')),
  ]);
}

/** Extracts the regular files of a tar archive, without subfolders, into `folder`. */
async function unpackTar(archive: string, folder: string): Promise<void> {
  const tar = await promisify(brotliDecompress)(await readFile(archive));
  for (let offset = 0; offset + 512 <= tar.length;) {
    const header = tar.subarray(offset, offset + 512);
    const path = header.toString('latin1', 0, 100).replace(/\0.*$/s, '');
    const sizeBytes = Number.parseInt(header.toString('latin1', 124, 136), 8) || 0;
    const name = path.split('/').at(-1) ?? '';
    const isFile = header[156] === 0x30 || header[156] === 0;
    const content = tar.subarray(offset + 512, offset + 512 + sizeBytes);
    if (isFile && name !== '') await writeFile(join(folder, name), content);
    offset += 512 + Math.ceil(sizeBytes / 512) * 512;
  }
}
