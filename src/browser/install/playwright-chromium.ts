// The headless-shell that Playwright publishes for Linux (x64, arm64) and macOS, fetched by Playwright's own installer, which
// knows the addresses, the mirrors and the proxies. It publishes no checksums, so what arrives is trusted as far as TLS and the
// variables of the environment are; `npx tintype doctor` says which they were.
import { globSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { versionOf } from '#browser/install/chromium.ts';
import { fetchLibraries, findShell } from '#browser/install/distribution-chromium.ts';
import type { FetchWay } from '#browser/install/fetch-way.ts';
import { run } from '#browser/install/run.ts';
import { readSystem } from '#browser/install/system.ts';

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

export async function playwrightWay(system = readSystem()): Promise<FetchWay> {
  const folder = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));
  const { browsers } = JSON.parse(await readFile(join(folder, 'browsers.json'), 'utf8')) as {
    browsers: { name: string; browserVersion: string }[];
  };
  const version = browsers.find(({ name }) => name === product)?.browserVersion ?? null;
  return {
    title: "Playwright's download",
    name: 'playwright',
    // It comes with Tintype.
    newest: () => Promise.resolve(version),
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
            tools.tell(`chrome-headless-shell ${version} from ${new URL(address).host}`, `${size} MiB`);
          },
        },
        { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
      );
      // The installer also downloads a video encoder, which is not needed here: only a failure before that counts.
      await installed.catch((error: unknown) => {
        const isThere = globSync('chromium_headless_shell-*/INSTALLATION_COMPLETE', { cwd: browsersFolder });
        if (isThere.length === 0) throw error;
      });
      await rm(temporary, { recursive: true, force: true });
      const executable = await findShell(browsersFolder);
      const problem = await versionOf(executable, null).then(
        () => '',
        (error: Error) => error.message,
      );
      const lacksLibraries = problem.includes('shared librar') && system.hasApt;
      return {
        executable,
        libraryFolders: lacksLibraries ? await fetchLibraries(draft, tools) : [],
        trust: trustIn(address, tools.environment),
      };
    },
  };
}

/** Only the names of the variables: the address of a proxy may contain a password. */
export function trustIn(address: string, environment: Record<string, string>): string {
  const { protocol, origin } = new URL(address);
  const variables = Object.keys(environment).filter(
    (name) => decisive.test(name) && environment[name] !== '',
  );
  return (
    'no checksum is published for this browser, so the download could not be checked; ' +
    `it came from ${origin}, ${protocol === 'https:' ? 'trusted for its TLS certificate' : 'without TLS'}; ` +
    (variables.length === 0 ? 'no proxy or mirror was set' : `set were ${variables.join(', ')}`)
  );
}
