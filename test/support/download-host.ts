// Stands in for the host that Playwright's installer downloads from: its headless-shell is a script that starts the browser under
// test.
import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { chromiumUnderTest } from '#test/support/browser.ts';
import { readConfig } from '#roof/config.ts';
import { shellScript } from '#test/support/fake-source.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { zip } from '#test/support/zip.ts';

export interface DownloadHost extends AsyncDisposable {
  environment: Record<string, string>;
  /** Downloads of the headless-shell so far. */
  readonly downloads: number;
  /** `whole` sends it, `half` stops in the middle and emits `half`, goes on at `resume`, and emits `cut` when the client is gone; `none` answers 404. */
  mode: 'whole' | 'half' | 'none';
  events: EventEmitter;
}

/** `version` is what the browser says it is; by default what it is. */
export async function startDownloadHost(given: { version?: string } = {}): Promise<DownloadHost> {
  const { version } = await chromiumUnderTest();
  const script = await shellScript(given.version ?? version);
  const events = new EventEmitter();
  let downloads = 0;
  const server = createServer((request, response) => {
    const name = basename(request.url ?? '', '.zip');
    const isShell = name.includes('headless-shell');
    if (isShell) downloads += 1;
    if (host.mode === 'none') {
      response.writeHead(404).end('no such build');
      return;
    }
    const archive = isShell
      ? // The size is in MiB.
        zip({ [`${name}/chrome-headless-shell`]: script, [`${name}/filling`]: 'x'.repeat(2 * 1024 ** 2) })
      : zip({ 'ffmpeg-linux': script });
    response.writeHead(200, { 'content-length': archive.length });
    if (host.mode === 'whole' || !isShell) {
      response.end(archive);
      return;
    }
    const half = Math.floor(archive.length / 2);
    response.write(archive.subarray(0, half), () => events.emit('half'));
    response.once('close', () => events.emit('cut'));
    events.once('resume', () => response.end(archive.subarray(half)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { path, remove } = await temporaryFolder();
  const aptSettings = join(path, 'apt.conf');
  await writeFile(aptSettings, 'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "-";\n');
  const { port } = server.address() as AddressInfo;
  const host: DownloadHost = {
    environment: {
      ...readConfig().fetchEnvironment,
      // The distribution has no packages here.
      APT_CONFIG: aptSettings,
      PLAYWRIGHT_DOWNLOAD_HOST: `http://127.0.0.1:${port}`,
      // Where Playwright does not know the system, any build does here.
      PLAYWRIGHT_HOST_PLATFORM_OVERRIDE: process.arch === 'arm64' ? 'debian12-arm64' : 'debian12-x64',
    },
    get downloads() {
      return downloads;
    },
    mode: 'whole',
    events,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await remove();
    },
  };
  return host;
}
