// The headless-shell that Playwright publishes for Linux (x64, arm64) and macOS, fetched by Playwright's own installer, which
// knows the addresses, the mirrors and the proxies. It publishes no checksums, so what arrives is trusted as far as TLS and the
// variables of the environment are; `npx tintype doctor` says which they were.
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fetchLibraries, findShell } from '#browser/install/distribution-chromium.ts';
import type { FetchWay } from '#browser/install/fetch-chromium.ts';
import { problemOf } from '#browser/install/find-chromium.ts';
import { run } from '#browser/install/run.ts';
import type { System } from '#browser/install/system.ts';

const product = 'chromium-headless-shell';
const downloadMs = 20 * 60_000;
// Timeout for a silent connection; the installer tries five times.
const silenceMs = 10_000;
// Variables that decide where the download comes from, or whose certificates it may have.
const decisive =
  /^(https?|all|no)_proxy$|^NODE_EXTRA_CA_CERTS$|^SSL_CERT_(FILE|DIR)$|^PLAYWRIGHT_.*DOWNLOAD_HOST$/i;
// The installer ends when this process does, even after kill -9. Its own child, which inherits this argument, does so by itself.
const endWithParent =
  "data:text/javascript,if(process.argv[1].endsWith('cli.js')){process.on('disconnect',()=>process.exit(1));process.channel.unref()}";

export async function playwrightWay(system: System): Promise<FetchWay | null> {
  const folder = findPackage();
  if (folder === null) return null;
  const { browsers } = JSON.parse(await readFile(join(folder, 'browsers.json'), 'utf8')) as {
    browsers: { name: string; browserVersion: string }[];
  };
  const version = browsers.find(({ name }) => name === product)?.browserVersion ?? 'unknown';
  return {
    title: "Playwright's download",
    folder: `playwright-${version}-${system.id}-${process.arch}`,
    source: "Playwright's download, kept in the cache",
    renewal: 'git pull, then npm start: its version comes with Tintype',
    hasChecksum: false,
    async fill(draft, tools) {
      const browsersFolder = join(draft, 'browsers');
      const temporary = join(draft, 'tmp');
      await mkdir(temporary);
      let address = '';
      let isTold = false;
      const installed = run(
        process.execPath,
        ['--import', endWithParent, join(folder, 'cli.js'), 'install', '--only-shell', product],
        {
          environment: {
            PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: String(silenceMs),
            ...tools.environment,
            PLAYWRIGHT_BROWSERS_PATH: browsersFolder,
            PLAYWRIGHT_SKIP_BROWSER_GC: '1',
            FORCE_COLOR: '0',
            HOME: draft,
            TMPDIR: temporary,
          },
          timeoutMs: downloadMs,
          onLine(line) {
            if (line.startsWith('Downloading Chrome')) address = line.split(' from ').at(-1) ?? '';
            const size = /% of ([\d.]+) MiB/.exec(line)?.[1];
            if (size === undefined || isTold) return;
            isTold = true;
            tools.tell(
              `chrome-headless-shell ${version} from ${new URL(address).host}`,
              Number(size) * 1024 ** 2,
            );
          },
        },
        { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
      );
      // The installer also downloads a video encoder, which is not needed here: only a failure before that counts.
      await installed.catch((error: unknown) => {
        if (!existsSync(join(shellFolder(browsersFolder), 'INSTALLATION_COMPLETE'))) throw error;
      });
      await rm(temporary, { recursive: true, force: true });
      await keepOnly(browsersFolder, shellFolder(browsersFolder));
      const executable = await findShell(browsersFolder);
      const problem = await problemOf(executable, null);
      const lacksLibraries = problem?.includes('shared librar') === true && system.hasApt;
      return {
        executable,
        libraryFolders: lacksLibraries ? await fetchLibraries(draft, tools) : [],
        origin: {
          address: new URL(address).origin,
          // Only their names: the address of a proxy may contain a password.
          variables: Object.keys(tools.environment).filter(
            (name) => decisive.test(name) && tools.environment[name] !== '',
          ),
        },
      };
    },
  };
}

function shellFolder(browsersFolder: string): string {
  const names = existsSync(browsersFolder) ? readdirSync(browsersFolder) : [];
  return join(browsersFolder, names.find((name) => name.startsWith('chromium_headless_shell-')) ?? '');
}

async function keepOnly(folder: string, kept: string): Promise<void> {
  const others = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== kept);
  await Promise.all(others.map((path) => rm(path, { recursive: true, force: true })));
}

/** Null if the package is not installed. */
function findPackage(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));
  } catch {
    return null;
  }
}
