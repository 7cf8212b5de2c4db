// Pages whose process the browser ends, and pages that crash by themselves. Spec 7 (capture_failed).
import assert from 'node:assert/strict';
import { after, beforeEach, before, test } from 'node:test';
import { startTestBrowser, type OwnTestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { colourOf } from '#test/support/pixels.ts';
import {
  breakableChromium,
  complainingChromium,
  type WrappedChromium,
} from '#test/support/wrapped-chromium.ts';

const size = { width: 320, height: 320 };
const green = '<!doctype html><body style="margin:0;background:#00a000">';
const reason = 'Terminating renderer for bad IPC message, reason';
/** Asks the browser process for what it does not have. */
const ended = `${green}<img src="/never"><script>
  Mojo.bindInterface('no.such.Interface', Mojo.createMessagePipe().handle0)</script>`;
const crashing = `${green}<script>console.error('\\n${reason} 1');
  const hold = []; for (;;) hold.push(new Array(1e6).fill(0))</script>`;
let server: PageServer;
let breakable: WrappedChromium;
let kit: OwnTestBrowser;
/** How often a page was loaded. */
let loads = 0;

before(async () => {
  server = await startPageServer({ '/never': () => {} });
  breakable = await breakableChromium();
  kit = await startTestBrowser([server.host], { executable: breakable.path });
});
after(async () => {
  await kit.close();
  await Promise.all([server.close(), breakable.remove()]);
});
beforeEach(() => {
  kit.logged.length = 0;
  loads = 0;
});

/** Renders an address that answers with these pages in turn. */
const shoot = (...pages: string[]) =>
  kit.shoot(
    server.route('/page', (_, response) => {
      response.setHeader('content-type', 'text/html').end(pages[loads]);
      loads += 1;
    }),
    size,
  );

const complaintsOf = ({ logged }: OwnTestBrowser) =>
  logged
    .filter(({ message }) => message === 'the browser ended the process of a page')
    .map(({ details }) => (details as { complaint: string }).complaint);

test('a render whose page the browser has ended is tried once more, and the log has the reason', async () => {
  const { bytes } = await shoot(ended, green);
  assert.equal(await colourOf(bytes), 'green');
  assert.equal(loads, 2);
  const [first, second, ...others] = complaintsOf(kit);
  assert.match(first!, /bad Mojo message: .*no\.such\.Interface/);
  assert.match(second!, /Terminating renderer for bad IPC message, reason \d+$/);
  assert.deepEqual(others, []);
  assert.equal(kit.logged.filter(({ message }) => message === 'a render is tried once more').length, 1);
});

test('a render whose page the browser ends again fails', async () => {
  const failure = { reason: 'crashed', message: 'the browser ended the process of the page' };
  await assert.rejects(shoot(ended, ended, green), failure);
  assert.equal(loads, 2);
});

test('a render whose page crashes by itself fails at once, and the page writes nothing into the log', async () => {
  await assert.rejects(shoot(crashing, green), { reason: 'crashed', browserLost: false });
  assert.equal(loads, 1);
  assert.deepEqual(complaintsOf(kit), []);
});

test('the log has the first hundred of such lines of a worker, each cut', async () => {
  const line = `${reason} 262 ${'x'.repeat(400)}`;
  const complaining = await complainingChromium(line, 150);
  try {
    const other = await startTestBrowser([], { executable: complaining.path });
    await other.close();
    assert.deepEqual(
      complaintsOf(other),
      Array.from({ length: 100 }, () => line.slice(0, 300)),
    );
  } finally {
    await complaining.remove();
  }
});
