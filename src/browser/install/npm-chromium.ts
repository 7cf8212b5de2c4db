// Unpacks the headless-shell of an npm package (@sparticuz/chromium) into our own folder, once per version. The package's own code unpacks
// to a fixed, world-writable path and by default disables the sandbox: its files are used, its code is not.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { cachedFolder } from '#browser/install/cached-folder.ts';
import { lockedPackage, npmPackage } from '#browser/install/npm-package.ts';

const name = '@sparticuz/chromium';

interface UnpackedChromium {
  executable: string;
  /** Libraries that a minimal system lacks (NSS, NSPR, expat). */
  libraryFolder: string;
}

export interface NpmChromium {
  /** Of the package: its milestone is that of the browser. */
  version: string;
  unpack(cacheFolder: string): Promise<UnpackedChromium>;
}

/** Null if the package has no binary for this machine. */
export async function findNpmChromium(environment: Record<string, string>): Promise<NpmChromium | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const { version } = await lockedPackage(name);
  return {
    version,
    async unpack(cacheFolder) {
      const folder = join(cacheFolder, `chromium-${version}`);
      await cachedFolder(folder, {
        async fill(draft) {
          const temporary = join(draft, 'npm');
          await unpack(join(await npmPackage(name, temporary, environment), 'bin'), draft);
          await rm(temporary, { recursive: true, force: true });
        },
      });
      return { executable: join(folder, 'chrome-headless-shell'), libraryFolder: join(folder, 'lib') };
    },
  };
}

async function unpack(source: string, folder: string): Promise<void> {
  await mkdir(join(folder, 'lib'));
  await Promise.all([
    pipeline(
      createReadStream(join(source, 'chromium.br')),
      createBrotliDecompress(),
      createWriteStream(join(folder, 'chrome-headless-shell')),
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
