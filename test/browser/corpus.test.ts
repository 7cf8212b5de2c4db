// Renders every page of the corpus and checks what must be visible. Spec 4.3.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { useTestBrowser } from '#test/support/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { decode, nameOf } from '#test/support/pixels.ts';
import type { Picture } from '#test/support/pixels.ts';
import { corpus } from '#test/browser/corpus.ts';
import { files } from '#test/browser/corpus/kit.ts';

const size = { width: 800, height: 600 };
const fontFile = createRequire(import.meta.url).resolve(
  '@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf',
);
let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({
    ...files,
    '/late.ttf': ({ url }, response) => {
      const font = response.setHeader('content-type', 'font/ttf');
      setTimeout(() => font.end(readFileSync(fontFile)), Number(url?.split('?')[1] ?? 0));
    },
  });
  kit = await useTestBrowser([server.host, server.host.replace('127.0.0.1', 'localhost')]);
});
after(() => server.close());

describe('corpus', { concurrency: 2 }, () => {
  for (const [
    index,
    { title, page, anchor = '', fullPage = false, sees, height = size.height },
  ] of corpus.entries()) {
    test(`4.3 ${title}`, async () => {
      const url = server.route(`/corpus-${index}`, page) + anchor;
      const picture = await decode((await kit.shoot(url, { ...size, fullPage })).bytes);
      assert.deepEqual([picture.width, picture.height], [size.width, height]);
      assert.deepEqual(
        sees.map(([x, y, wanted]) => {
          const seen = nameOf(picture.at(x, y));
          return [x, y, wanted.split(' or ').includes(seen) ? wanted : seen];
        }),
        sees,
      );
    });
  }
});

test('4.3 a document that browsers download, such as a PDF, gives no picture', async () => {
  const url = server.route('/document.pdf', (_, response) => {
    response.setHeader('content-type', 'application/pdf').end('%PDF-1.4\n%%EOF\n');
  });
  await assert.rejects(kit.shoot(url), (error: RenderFailure) => error.reason === 'download');
});

test('4.3 text and JSON documents show their text', async () => {
  for (const [type, body] of [
    ['text/plain', 'word '.repeat(200)],
    ['application/json', JSON.stringify({ words: 'word '.repeat(50) })],
  ] as const) {
    const url = server.route('/document', (_, response) => {
      response.setHeader('content-type', type).end(body);
    });
    const picture = await decode((await kit.shoot(url, size)).bytes);
    const ink = inkOf(picture);
    assert.ok(ink > 500, `${type}: ${ink} pixels of ink`);
  }
});

test('4.3 a frame at an address that is not allowed is empty', async () => {
  const url = server.route(
    '/denied-frame',
    '<!doctype html><iframe src="http://10.0.0.1/" style="border:0;width:700px;height:500px"></iframe>',
  );
  assert.equal(inkOf(await decode((await kit.shoot(url, size)).bytes)), 0);
});

/** Pixels in the first lines that are not white. */
function inkOf(picture: Picture): number {
  let ink = 0;
  for (let y = 0; y < 60; y += 1)
    for (let x = 0; x < size.width; x += 1) if (nameOf(picture.at(x, y)) !== 'white') ink += 1;
  return ink;
}
