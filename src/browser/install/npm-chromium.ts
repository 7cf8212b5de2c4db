// Unpacks the headless-shell that npm installs (@sparticuz/chromium) into our own folder, once per version. The package's own
// code unpacks to a fixed, world-writable path and by default disables the sandbox: its files are used, its code is not.
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { cachedFolder } from '#browser/install/cached-folder.ts';

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

/** Null if the package is absent or has no binary for this machine. */
export async function findNpmChromium(): Promise<NpmChromium | null> {
  const packageFolder = findPackage();
  if (packageFolder === null || process.platform !== 'linux' || process.arch !== 'x64') return null;
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return {
    version,
    async unpack(cacheFolder) {
      const folder = join(cacheFolder, `chromium-${version}`);
      await cachedFolder(folder, { fill: (draft) => unpack(join(packageFolder, 'bin'), draft) });
      return { executable: join(folder, 'chrome-headless-shell'), libraryFolder: join(folder, 'lib') };
    },
  };
}

function findPackage(): string | null {
  try {
    const folder = dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))));
    return existsSync(join(folder, 'bin', 'chromium.br')) ? folder : null;
  } catch {
    return null;
  }
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
