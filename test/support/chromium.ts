// A real Chromium for tests, from the npm package, in a private folder that goes away with it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const decompress = promisify(brotliDecompress);
const packed = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..', 'bin');

export async function launchTestChromium(
  args: string[] = [],
): Promise<{ browser: Browser; close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tintype-chromium-'));
  const executablePath = join(folder, 'chromium');
  const [binary, libraries, fonts] = await Promise.all(
    ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map((name) =>
      decompress(readFileSync(join(packed, name))),
    ),
  );
  writeFileSync(executablePath, binary!, { mode: 0o700 });
  unpackTar(libraries!, folder);
  unpackTar(fonts!, join(folder, 'fonts'));
  const fontConfiguration = join(folder, 'fonts.conf');
  writeFileSync(fontConfiguration, fontsConf(join(folder, 'fonts'), join(folder, 'cache')));
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-component-update', ...args],
    env: {
      LD_LIBRARY_PATH: join(folder, 'lib'),
      FONTCONFIG_FILE: fontConfiguration,
      HOME: folder,
      TMPDIR: folder,
    },
  });
  return {
    browser,
    close: async () => {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Regular files alone: names of at most 100 characters, sizes in octal. */
function unpackTar(archive: Buffer, folder: string): void {
  const field = (at: number, length: number): string =>
    archive.toString('latin1', at, at + length).replace(/\0.*$/s, '');
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0;) {
    const size = Number.parseInt(field(at + 124, 12), 8) || 0;
    const isFile = ['0', ''].includes(field(at + 156, 1));
    if (isFile) {
      const target = join(folder, field(at, 100));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, archive.subarray(at + 512, at + 512 + size));
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

const fontsConf = (fonts: string, cache: string): string =>
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>`;
