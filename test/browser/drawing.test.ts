// Pages that keep the process busy that draws all pages: the renders of others are made in another browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { createDrawingWatch } from '#browser/process/drawing-watch.ts';
import { startTestBrowser } from '#lab/support/browser.ts';
import { startPageServer } from '#lab/support/page-server.ts';
import { browsers } from '#lab/support/process-table.ts';
import { slowToDraw } from '#lab/support/slow-to-draw.ts';
import { waitFor } from '#lab/support/wait-for.ts';

const skip =
  process.platform === 'linux' ? false : 'processes are watched through /proc, which only Linux has';
const size = { width: 800, height: 600 };

test('a process with a thread that never rests is busy; one that waits is not', { skip }, async () => {
  const scripts = { busy: 'for (;;);', idle: 'setInterval(() => {}, 20)' };
  for (const [name, script] of Object.entries(scripts)) {
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    try {
      await once(child, 'spawn');
      const watch = createDrawingWatch();
      const isBusy = () => {
        watch.look(child.pid);
        return watch.isBusy;
      };
      if (name === 'busy') {
        await waitFor('it to be seen as busy', isBusy);
        watch.look(undefined);
        await waitFor('a process that is gone to count as idle', () => {
          watch.look(undefined);
          return !watch.isBusy;
        });
      } else {
        const until = performance.now() + 3_000;
        // The first samples are of its start.
        await waitFor('three seconds to pass', () => {
          if (performance.now() > until - 1_000) assert.ok(!isBusy());
          else isBusy();
          return performance.now() > until;
        });
      }
    } finally {
      child.kill('SIGKILL');
    }
  }
});

test(
  'others are drawn while a page is drawn that takes half a minute, and its account gets separate browsers',
  { skip },
  async (context) => {
    const site = await startPageServer({
      '/plain': '<!doctype html><p>plain',
      '/slow': `<!doctype html>${slowToDraw['backdrop filters']}`,
    });
    const kit = await startTestBrowser([site.host], { concurrency: 4 });
    const stop = new AbortController();
    try {
      let isDrawn = false;
      // Repeatedly: on a busy machine its time may be over before it has kept others waiting.
      const slow = (async () => {
        while (!stop.signal.aborted && !isDrawn)
          await kit
            .shoot(`${site.base}/slow`, { ...size, account: 'slow' }, stop.signal)
            .then(() => (isDrawn = true))
            .catch(() => {});
      })();
      const ended = 'the browser was ended for what a page did';
      await waitFor('the browser to be ended', async () => {
        // It is not ended while nobody waits for it.
        await kit.shoot(`${site.base}/plain`, { ...size, account: 'other' });
        return isDrawn || kit.logged.some(({ message }) => message === ended);
      });
      if (isDrawn) return context.skip('this machine draws the page too fast to keep others waiting');
      for (let render = 0; render < 3; render += 1)
        await kit.shoot(`${site.base}/plain`, { ...size, account: 'other' });
      // A second or two after it began there, its account is known.
      await waitFor('renders of the account to get their own browser', async () => {
        const before = browsers().length;
        const held = Promise.withResolvers<() => void>();
        const url = site.route('/held', (_request, response) =>
          held.resolve(() => response.setHeader('content-type', 'text/html').end('<!doctype html>')),
        );
        const render = kit.shoot(url, { ...size, account: 'slow' });
        const letGo = await held.promise;
        const isSeparate = browsers().length > before;
        letGo();
        await render;
        return isSeparate;
      });
      stop.abort();
      await slow;
    } finally {
      stop.abort();
      await kit.close();
      await site.close();
    }
  },
);
