// Cookie banners are declined and never accepted; one that cannot be declined is left, with a warning. v2 2 (block).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { noChanges, plainView } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { colourOf } from '#test/support/pixels.ts';

let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer();
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

const text = 'We use cookies to personalise content and ads. Accept all cookies or manage your preferences.';

/** A grey page: green if the banner was declined, red if it was accepted. */
const page = (
  banner: string,
  script = '',
) => `<!doctype html><style>body { margin: 0; background: #dddddd; height: 900px }
  .banner { position: fixed; left: 0; right: 0; bottom: 0; height: 150px; background: white; z-index: 9999 }</style><p>A page</p>
  <template>${banner}</template><script>
  const show = () => { document.body.append(document.querySelector('template').content.cloneNode(true)) };
  const end = (colour) => { document.querySelector('.banner').remove(); document.body.style.background = colour };
  const decline = () => end('#00a000'), accept = () => end('#c80000'); ${script}</script>`;

const oneTrust = `<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" class="banner">${text}
  <button id="onetrust-accept-btn-handler" onclick="accept()">Accept all</button>
  <button id="onetrust-reject-all-handler" onclick="decline()">Reject all</button></div></div>`;

const unknown = (buttons: string) => `<div class="banner" role="dialog">${text} ${buttons}</div>`;
const acceptButton = '<button onclick="accept()">Accept all cookies</button>';

/** The library first looks for this object, and then again every half second. */
const afterFirstLook = (
  ms: number,
  script: string,
) => `let looked, cookiebot; Object.defineProperty(window, 'Cookiebot', {
  get() { looked ??= setTimeout(() => { ${script} }, ${ms}); return cookiebot } })`;

const cases: { title: string; html: string; seen: 'green' | 'grey'; warnings: string[]; csp?: string }[] = [
  {
    title: 'a known banner that appears late, under a strict policy',
    html: page(oneTrust, 'setTimeout(show, 800)'),
    seen: 'green',
    warnings: [],
    csp: "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
  },
  {
    title:
      'a known banner that is declined by a function of the page, and takes longer than the page has time',
    html: page(
      `<div id="CybotCookiebotDialog" class="banner">${text} <button id="CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll" onclick="accept()">Allow all</button></div>`,
      afterFirstLook(1600, 'cookiebot = { dialog: { visible: true }, withdraw: decline, hide() {} }; show()'),
    ),
    seen: 'green',
    warnings: [],
  },
  {
    title: 'an unknown banner with a button that declines, after the last change of the page',
    html: page(
      unknown(`${acceptButton} <button onclick="decline()">Reject all</button>`),
      afterFirstLook(700, 'show()'),
    ),
    seen: 'green',
    warnings: [],
  },
  {
    title: 'an unknown banner whose button does nothing',
    html: page(unknown(`${acceptButton} <button>Reject all</button>`), 'show()'),
    seen: 'grey',
    warnings: ['cookie_banner_left'],
  },
  {
    title: 'an unknown banner that can only be accepted',
    html: page(unknown(acceptButton), 'show()'),
    seen: 'grey',
    warnings: ['cookie_banner_left'],
  },
  { title: 'no banner', html: page(''), seen: 'grey', warnings: [] },
  {
    title: 'a banner that loads the page anew when it is declined, and then comes back',
    html: page(
      oneTrust.replace('decline()', 'next()'),
      `const next = () => { if (localStorage.declined) return decline(); localStorage.declined = 1; location.reload() }; show()`,
    ),
    seen: 'green',
    warnings: [],
  },
];

describe('cookie banners', { concurrency: 2 }, () => {
  for (const [index, { title, html, seen, warnings, csp }] of cases.entries()) {
    test(`declining cookie banners: ${title}`, async () => {
      const url = server.route(`/case-${index}`, (_, response) => {
        if (csp !== undefined) response.setHeader('content-security-policy', csp);
        response.setHeader('content-type', 'text/html').end(html);
      });
      await using made = await kit.render(url, {
        view: { ...plainView, width: 600, height: 600 },
        changes: { ...noChanges, declineCookieBanners: true },
      });
      assert.deepEqual(
        made.page.warnings.map(({ code }) => code),
        warnings,
      );
      assert.equal(await colourOf(await readFile(made.outputs[0]!.path), 300, 300), seen);
    });
  }
});
