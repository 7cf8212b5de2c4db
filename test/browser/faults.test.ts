// Pages and servers that misbehave: each render ends with its own reason, and a render at the same time is not affected. Spec
// 4.3, 7 (capture_failed).
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { RenderFailure, RenderFailureReason } from '#browser/browser.ts';
import { startTestBrowser, useTestBrowser } from '#test/support/browser.ts';
import type { OwnTestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import type { PageServer, Route } from '#test/support/page-server.ts';
import { colourOf, decode } from '#test/support/pixels.ts';

const green = '<!doctype html><body style="margin:0;background:#00a000">';
const html = { 'content-type': 'text/html' };
let server: PageServer;
let kit: OwnTestBrowser;

before(async () => {
  server = await startPageServer({
    '/sibling': `${green}<p>fine`,
    '/file': (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' })
        .end('PK'),
  });
  kit = await startTestBrowser([server.host, 'unresolved.invalid', '127.0.0.1:1'], {
    concurrency: 4,
    memory: { renderBytes: 400 * 1024 * 1024 },
  });
});
after(async () => {
  await kit.close();
  await server.close();
});

/** The reason for which the render fails, or the colour of its picture. */
const faults: { title: string; route: Route; ends: RenderFailureReason | 'green' }[] = [
  {
    title: 'alert, confirm, prompt',
    route: `${green}<script>alert(1); confirm(2); prompt(3)</script>`,
    ends: 'green',
  },
  {
    title: 'a dialog in a frame',
    route: `${green}<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
    ends: 'green',
  },
  {
    title: 'a page that asks before it is left',
    route: `${green}<script>onbeforeunload = (e) => e.preventDefault(); location.hash = 'x'</script>`,
    ends: 'green',
  },
  {
    title: 'popups',
    route: `${green}<script>for (let i = 0; i < 20; i++) open('/sibling')</script>`,
    ends: 'green',
  },
  { title: 'print and window.close', route: `${green}<script>print(); close()</script>`, ends: 'green' },
  {
    title: 'a password prompt',
    route: (_, r) => r.writeHead(401, { ...html, 'www-authenticate': 'Basic realm="x"' }).end(green),
    ends: 'green',
  },
  { title: 'a page that was not found', route: (_, r) => r.writeHead(404, html).end(green), ends: 'green' },
  { title: 'a server error', route: (_, r) => r.writeHead(500, html).end(green), ends: 'green' },
  {
    title: 'a download',
    route: (_, r) =>
      r
        .writeHead(200, {
          'content-type': 'application/zip',
          'content-disposition': 'attachment; filename=a.zip',
        })
        .end('PK'),
    ends: 'download',
  },
  {
    title: 'a PDF',
    route: (_, r) => r.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4'),
    ends: 'download',
  },
  {
    title: 'a script that starts a download',
    route: `${green}<a id=a href="data:application/zip,PK" download></a><script>a.click()</script>`,
    ends: 'green',
  },
  { title: '204', route: (_, r) => r.writeHead(204).end(), ends: 'no_content' },
  { title: 'a connection that is cut', route: (q) => q.socket.destroy(), ends: 'unreachable' },
  {
    title: 'a redirect to a file',
    route: (_, r) => r.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    ends: 'unreachable',
  },
  {
    title: 'a script that goes to a file',
    route: `${green}<script>location = 'file:///etc/passwd'</script>`,
    ends: 'green',
  },
  {
    title: 'a script that leaves for another program',
    route: `${green}<script>location = 'mailto:someone@example.com'</script>`,
    ends: 'green',
  },
  {
    title: 'a script that leaves for a file',
    route: `${green}<script>location = '/file'</script>`,
    ends: 'green',
  },
  {
    title: 'a crash',
    route: `${green}<script>onload = () => setTimeout(() => { location = 'chrome://crash' }, 0)</script>`,
    ends: 'green',
  },
  {
    title: 'a memory bomb',
    route: `${green}<script>const hold = []; (function more() { for (let i = 0; i < 4; i++) hold.push(new Uint8Array(16 << 20).fill(1)); setTimeout(more) })()</script><img src="/never">`,
    ends: 'too_large',
  },
];

describe('faults during another render', { concurrency: 4 }, () => {
  for (const [index, { title, route, ends }] of faults.entries()) {
    test(`${title}: ${ends}`, async () => {
      server.route('/never', () => {});
      const url = server.route(`/fault-${index}`, route);
      const [fault, sibling] = await Promise.allSettled([
        kit.shoot(url),
        kit.shoot(`${server.base}/sibling`),
      ]);
      assert.equal(sibling.status, 'fulfilled', sibling.status === 'rejected' ? String(sibling.reason) : '');
      const end =
        fault.status === 'fulfilled'
          ? await colourOf(fault.value.bytes)
          : (fault.reason as RenderFailure).reason;
      assert.equal(end, ends, fault.status === 'rejected' ? String(fault.reason) : '');
    });
  }
});

// Not during others: a browser follows 20 redirects before it gives up, and one takes seconds on a busy machine.
test('redirects without end: unreachable', async () => {
  const url = server.route('/round', (q, r) => r.writeHead(302, { location: q.url }).end());
  await assert.rejects(kit.shoot(url), { reason: 'unreachable' });
});

test('4.3 a page that answers with an error status behind a redirect is captured as it is', async () => {
  server.route('/from', (_, response) => response.writeHead(301, { location: '/gone#top' }).end());
  server.route('/gone', (_, response) => response.writeHead(410, html).end(green));
  assert.equal(await colourOf((await kit.shoot(`${server.base}/from`)).bytes), 'green');
});

test('an error status without a body is a page too', async () => {
  const shot = await kit.shoot(server.route('/bare-500', (_, response) => response.writeHead(500).end()));
  assert.equal((await decode(shot.bytes)).format, 'png');
});

test('a name that does not resolve, a port that refuses', async () => {
  const spare = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => spare.once('listening', resolve));
  const { port } = spare.address() as AddressInfo;
  spare.close();
  const other = await useTestBrowser([`127.0.0.1:${port}`]);
  await assert.rejects(other.shoot(`http://127.0.0.1:${port}/`), hasReason('unreachable'));
  await assert.rejects(other.shoot('http://unresolved.invalid/'), hasReason('unresolved'));
  await assert.rejects(other.shoot('https://unresolved.invalid/'), hasReason('unresolved'));
  await assert.rejects(other.shoot(`https://127.0.0.1:${port}/`), hasReason('unreachable'));
});

test('a caller that disconnects ends the render at once', async () => {
  const caller = new AbortController();
  const asked = new Promise<void>((resolve) => server.route('/silent', () => resolve()));
  const render = kit.shoot(`${server.base}/silent`, {}, caller.signal);
  await asked;
  caller.abort();
  await assert.rejects(render, hasReason('aborted'));
  await assert.rejects(kit.shoot(`${server.base}/sibling`, {}, caller.signal), hasReason('aborted'));
});

function hasReason(reason: RenderFailureReason) {
  return (error: RenderFailure) => {
    assert.equal(error.reason, reason, String(error));
    return true;
  };
}
