// The floor for renders: the same Chromium driven by bare CDP over the pipe, a fresh context per render, the service's settle
// rule (for a PDF: the load event), and nothing else: no HTTP, metering, proxy or checks.
import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { findChromium, defaultFolders } from '#browser/install/find-chromium.ts';
import { installFonts } from '#browser/install/fonts.ts';
import { readConfig } from '#roof/config.ts';
import type { RenderKind } from '#storage/schema.ts';

interface Message {
  id?: number;
  method?: string;
  sessionId?: string;
  result?: Record<string, string>;
  error?: { message: string };
}

export interface Floor {
  pid: number;
  render(url: string, kind: RenderKind): Promise<Buffer>;
  close(): void;
}

const nobody = 65_534;
const settling = {
  policy: 'pauseIfNetworkFetchesPending',
  budget: 3000,
  maxVirtualTimeTaskStarvationCount: 1000,
};
/** As the service does it. Work of the page after its load event happens before this, and so is in both PDFs. */
const settingPaper = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('@page { size: 8.5in 11in !important; }');
  document.adoptedStyleSheets.push(sheet);
}`;
const printing = {
  printBackground: true,
  generateTaggedPDF: false,
  marginTop: 0,
  marginRight: 0,
  marginBottom: 0,
  marginLeft: 0,
};

/** The browser that the service finds for itself, with its libraries and fonts. */
export async function theBrowser(): Promise<{ executable: string; environment: Record<string, string> }> {
  const { cacheDir, programFolders } = readConfig({ PATH: process.env['PATH'] });
  const folders = [...programFolders, ...defaultFolders];
  const chromium = await findChromium({ explicitPath: undefined, folders, cacheFolder: cacheDir });
  return {
    executable: chromium.executable,
    environment: {
      FONTCONFIG_FILE: await installFonts(cacheDir),
      ...(chromium.libraryFolder !== null && { LD_LIBRARY_PATH: chromium.libraryFolder }),
    },
  };
}

export async function startFloor(): Promise<Floor> {
  const { executable, environment } = await theBrowser();
  const home = mkdtempSync(join(tmpdir(), 'tintype-floor-'));
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chownSync(home, nobody, nobody);
  const child = spawn(
    executable,
    [
      '--remote-debugging-pipe',
      `--user-data-dir=${home}`,
      '--hide-scrollbars',
      '--no-first-run',
      '--disable-component-update',
    ],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      env: { HOME: home, ...environment },
      ...(asRoot && { uid: nobody, gid: nobody }),
    },
  );
  const { send, until } = connect(child.stdio[3] as Writable, child.stdio[4] as Readable);

  async function settleAndShoot(sessionId: string): Promise<Buffer> {
    const settled = until('Emulation.virtualTimeBudgetExpired', sessionId);
    await send('Emulation.setVirtualTimePolicy', settling, sessionId);
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, 3000).unref())]);
    const { data = '' } = await send(
      'Page.captureScreenshot',
      { format: 'png', optimizeForSpeed: true },
      sessionId,
    );
    return Buffer.from(data, 'base64');
  }

  /** Letter without margins, with backgrounds: what the service prints by default. */
  async function print(sessionId: string): Promise<Buffer> {
    await send('Runtime.evaluate', { expression: settingPaper }, sessionId);
    const { data = '' } = await send('Page.printToPDF', printing, sessionId);
    return Buffer.from(data, 'base64');
  }

  return {
    pid: child.pid ?? 0,
    async render(url, kind) {
      const { browserContextId = '' } = await send('Target.createBrowserContext', {});
      const { targetId } = await send('Target.createTarget', {
        url: 'about:blank',
        browserContextId,
        width: 1440,
        height: 900,
      });
      const { sessionId = '' } = await send('Target.attachToTarget', { targetId, flatten: true });
      const page = (method: string, parameters: object = {}) => send(method, parameters, sessionId);
      await page('Page.enable');
      const loaded = until('Page.loadEventFired', sessionId);
      await page('Page.navigate', { url });
      await loaded;
      const bytes = kind === 'screenshot' ? await settleAndShoot(sessionId) : await print(sessionId);
      await send('Target.disposeBrowserContext', { browserContextId });
      return bytes;
    },
    close() {
      child.kill('SIGKILL');
      child.once('exit', () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
    },
  };
}

function connect(input: Writable, output: Readable) {
  const waiting = new Map<number, PromiseWithResolvers<Record<string, string>>>();
  const listeners = new Map<string, () => void>();
  let lastId = 0;
  let pending: Buffer[] = [];
  output.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      receive(JSON.parse(Buffer.concat([...pending, chunk.subarray(start, end)]).toString()) as Message);
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  });

  function receive({ id, method, sessionId, result, error }: Message): void {
    if (id === undefined) {
      listeners.get(`${sessionId} ${method}`)?.();
      return;
    }
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result ?? {});
  }

  return {
    send(method: string, parameters: object, sessionId?: string): Promise<Record<string, string>> {
      lastId += 1;
      const call = Promise.withResolvers<Record<string, string>>();
      waiting.set(lastId, call);
      input.write(`${JSON.stringify({ id: lastId, method, params: parameters, sessionId })}\0`);
      return call.promise;
    },
    until: (method: string, sessionId: string): Promise<void> =>
      new Promise((resolve) => listeners.set(`${sessionId} ${method}`, resolve)),
  };
}
