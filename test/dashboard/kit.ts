// Opens the dashboard in the Chromium that the service uses. Its pages record every browser error, every policy violation
// and every request to another host.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launchTestChromium } from '#test/support/chromium.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { freePort } from '#test/support/processes.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { shared } from '#test/support/shared.ts';
import { signedInVisitor, type Visitor } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';

const outputFolder = join(import.meta.dirname, '..', 'output', 'dashboard');

export interface WatchedPage extends Page {
  /** Recorded problems; must stay empty. */
  troubles: string[];
}

export interface Dashboard {
  service: TestService;
  /** Pages that the service may render. */
  site: PageServer;
  /** A page of this service, or of the service at `origin`. */
  open: (options?: BrowserContextOptions & { as?: Visitor; origin?: string }) => Promise<WatchedPage>;
  /** A page signed in to a new account. */
  openAs: (
    account?: Parameters<typeof signedInVisitor>[1],
    options?: BrowserContextOptions,
  ) => Promise<{ page: WatchedPage; person: Awaited<ReturnType<typeof signedInVisitor>> }>;
  close: () => Promise<void>;
}

/** A hostname that browsers do not treat as secure like localhost, as for a machine on a LAN. */
export const lanName = 'tintype.lan';

const sharedChromium = shared(
  () => launchTestChromium([`--host-resolver-rules=MAP ${lanName} 127.0.0.1`]),
  (chromium) => chromium.close(),
);

export async function startDashboard(environment: Record<string, string> = {}): Promise<Dashboard> {
  await mkdir(outputFolder, { recursive: true });
  const port = await freePort();
  const site = await startPageServer();
  const [service, { browser }] = await Promise.all([
    startService({
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      EGRESS_ALLOW: site.host,
      ...environment,
    }),
    sharedChromium(),
  ]);

  async function open({
    as,
    origin = service.origin,
    ...options
  }: BrowserContextOptions & { as?: Visitor; origin?: string } = {}): Promise<WatchedPage> {
    const context = await browser.newContext({
      baseURL: origin,
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    if (as) {
      await context.addCookies(
        [...as.cookies].map(([name, value]) => ({
          name,
          value,
          domain: new URL(origin).hostname,
          path: '/api/dashboard',
          httpOnly: true,
        })),
      );
    }
    // Only ends failing tests. It is long because a busy machine is slow.
    context.setDefaultTimeout(120_000);
    return watch(await context.newPage(), origin);
  }

  return {
    service,
    site,
    open,
    async openAs(account, options) {
      const person = await signedInVisitor(service, account);
      return { person, page: await open({ ...options, as: person }) };
    },
    async close() {
      for (const context of browser.contexts()) await context.close();
      await service.stop();
      await site.close();
    },
  };
}

function watch(page: Page, origin: string): WatchedPage {
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // A 404 of the page itself is intended.
    if (message.location().url === page.url() && message.text().includes('404')) return;
    troubles.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => troubles.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol.startsWith('http') && asked !== origin) troubles.push(`foreign request: ${request.url()}`);
  });
  return Object.assign(page, { troubles });
}

/** Drags the files over the window and drops them on the element. */
export async function drop(target: Locator, files: [name: string, bytes: Buffer][]): Promise<void> {
  const page = target.page();
  const given = files.map(([name, bytes]) => ({ name, text: bytes.toString('base64') }));
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, text } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    return transfer;
  })()`);
  // A browser repeats this while the files are held over the page, so it is also seen by a page that was not ready at first.
  await waitFor('the page to take the files', async () => {
    await target.dispatchEvent('dragover', { dataTransfer: transfer });
    return page.getByText('Drop to upload').isVisible();
  });
  await target.dispatchEvent('drop', { dataTransfer: transfer });
}

/** The violations that axe-core rates as serious or critical. */
export async function violations(page: Page): Promise<string[]> {
  // A button that fades in as it is enabled has less contrast until it has, and it may be enabled at any moment.
  await page.evaluate(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('*, ::before, ::after { transition: none !important }');
    document.adoptedStyleSheets.push(sheet);
  }`);
  await page.evaluate(
    `Promise.allSettled(document.getAnimations().filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity).map(({ finished }) => finished))`,
  );
  await page.evaluate(axe.source);
  const results = await page.evaluate<axe.AxeResults>(
    `axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  );
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${target.join(' ')}`));
}

/** A state that pages.gate.test.ts does not show has no accessibility violations. A named one leaves a picture. */
export async function judge(page: Page, name?: string): Promise<void> {
  if (name !== undefined) await page.screenshot({ path: join(outputFolder, `${name}.png`) });
  assert.deepEqual(await violations(page), []);
}

/** The end of a journey: its last state is accessible, and the page recorded no problems. */
export async function finish(page: WatchedPage, name?: string): Promise<void> {
  await judge(page, name);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
}
