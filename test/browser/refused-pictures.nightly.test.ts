// Documents whose pictures are refused, blocked, missing or all of these, very many of them. The browser used to end the process of
// one to four in 100, because it asked whether the page may reach a private address before the document had arrived.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { noChanges, type DocumentSource, type PageChanges } from '#browser/job.ts';
import { startTestBrowser, type OwnTestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';

const count = 2_000;
const atOnce = 4;
let server: PageServer;
let kit: OwnTestBrowser;

before(async () => {
  server = await startPageServer();
  kit = await startTestBrowser([server.host], { concurrency: atOnce });
});
after(async () => {
  await kit.close();
  await server.close();
});

const refused = [
  '10.0.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '169.254.169.254',
  '127.0.0.1:1',
  '[::1]',
  '[fd00::1]',
];
const missing = () => [
  'https://example.invalid/a.png',
  `${server.base}/missing.png`,
  'missing.png',
  'data:,',
];

const otherWays = (
  url: string,
) => `<iframe src="${url}"></iframe><link rel="stylesheet" href="${url}"><p>x<script>
  fetch('${url}').catch(() => {}); new WebSocket('${url.replace('http', 'ws')}');
  new Worker('data:text/javascript,fetch("${url}").catch(() => {})')</script>`;

/** Pictures of the place's kind, and how they are refused. */
function documentAt(place: number): { text: string; changes: Partial<PageChanges> } {
  const private_ = `http://${refused[place % refused.length]}/b.png`;
  const lost = missing()[place % missing().length]!;
  const show = (...addresses: string[]) => `${addresses.map((url) => `<img src="${url}">`).join('')}<p>x`;
  const kinds = [
    () => ({ text: show(private_), changes: {} }),
    () => ({ text: show(private_, lost), changes: { blockKinds: ['images' as const] } }),
    () => ({ text: show(private_, lost), changes: { blockHosts: ['10.0.0.1', 'example.invalid'] } }),
    () => ({ text: show(lost), changes: {} }),
    () => ({ text: otherWays(private_), changes: {} }),
    () => ({ text: show(...refused.map((host) => `http://${host}/b.png`), ...missing()), changes: {} }),
  ];
  return kinds[place % kinds.length]!();
}

test(
  'no page loses its process over pictures that are refused, blocked or missing',
  { timeout: 3_600_000 },
  async () => {
    const failed: string[] = [];
    let next = 0;
    async function takeTurns(): Promise<void> {
      while (next < count) {
        const { text, changes } = documentAt(next++);
        const source: DocumentSource = { kind: 'html', text, baseUrl: null, files: [] };
        try {
          await using _ = await kit.render('', { source, changes: { ...noChanges, ...changes } });
        } catch (error) {
          failed.push(`${String(error)}: ${text}`);
        }
      }
    }
    await Promise.all(Array.from({ length: atOnce }, takeTurns));
    assert.deepEqual(failed, []);
    // A render that was tried once more has its picture too.
    const ended = kit.logged.filter(({ message }) => message === 'the browser ended the process of a page');
    assert.deepEqual(ended, []);
  },
);
