// Races between a page and the browser that draws it, each of which was once lost in a part of all renders. When a frame is drawn is decided
// inside the browser, so nothing can force their order: the gate runs each of them once, to show what comes of it, and the nightly gate
// often enough that one which is lost now and then is found. settle-orders.gate.test.ts forces those of documents.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestBrowser } from '#test/support/browser.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { colourOf, decode, nameOf } from '#test/support/pixels.ts';
import { animated, openStage, page } from './settle-kit.ts';

export function testRaces(turns: number): void {
  let server: PageServer;
  let kit: TestBrowser;
  before(async () => {
    ({ server, kit } = await openStage());
  });
  after(() => server.close());

  // On a quiet machine, one document in ten is first drawn after its three seconds: its motions then begin only with the picture.
  test('4.3 settle: motions are at their end in every picture of a page', async () => {
    const animations = '#box { animation: in 1s both } #late { animation: in 5s step-end both }';
    const url = server.route(
      '/motions',
      `${page(
        'requestIdleCallback(done)',
        `html { scroll-behavior: smooth } body { margin: 0 } @keyframes in { from { opacity: 0 } } ${animations}
      #above { height: 3000px } #late { width: 200px; height: 700px; background: #00a000 }`,
      ).replace('<div id="box">', '<div id="above"></div><div id="box">')}<div id="late"></div>`,
    );
    const left = Array.from({ length: 3 * turns }, (_, turn) => turn);
    const takeNext = async (): Promise<void> => {
      const turn = left.shift();
      if (turn === undefined) return;
      const picture = await decode((await kit.shoot(`${url}#box`, { width: 400, height: 400 })).bytes);
      const seen = [picture.at(100, 100), picture.at(100, 300)].map(nameOf);
      assert.deepEqual(
        seen,
        ['green', 'green'],
        `picture ${turn}: the box that is scrolled to, and the one below`,
      );
      await takeNext();
    };
    await Promise.all([takeNext(), takeNext()]);
  });

  // The first three used to make the script that finishes motions fail, so that the motions stayed at their start. The last two, and
  // one in twelve pictures of the others, showed the SVG at its start: its clock was advanced before its first frame, or not at all.
  for (const [title, body] of Object.entries({
    'next to an animation at rate 0': `<div id="still"></div>
    <script>still.animate({ opacity: [0, 1] }, 1e3).playbackRate = 0; box.animate({ opacity: [0, 0] }, 5e3)</script>`,
    'next to an element that is only named svg': `<script>
    box.before(document.createElement('svg')); box.previousSibling.append(document.createElement('animate'))</script>`,
    'next to an element with the name of a variable': '<p id="advanced"></p>',
    'in an SVG within an SVG': `<script>svg.innerHTML = \`${animated.replace('</rect>', `</rect>${animated}`)}\`</script>`,
    'in an SVG that is added late': `<script>setTimeout(() => { svg.innerHTML = svg.innerHTML }, 2900)</script>`,
  })) {
    test(`4.3 settle: motions are at their end ${title}`, async () => {
      const url = server.route(
        '/motions',
        `${page('done()', 'body { margin: 0 } #box { animation: in 5s step-end both } @keyframes in { from { opacity: 0 } }')}
      <div id="svg">${animated}</div>${body}`,
      );
      for (let turn = 0; turn < turns; turn += 1) {
        const shots = [1, 2].map(() => kit.shoot(url, { width: 400, height: 400 }));
        for (const { bytes } of await Promise.all(shots)) {
          const picture = await decode(bytes);
          assert.deepEqual([picture.at(100, 100), picture.at(100, 300)].map(nameOf), ['green', 'green']);
        }
      }
    });
  }

  const fading = `<style>body { margin: 0 } div { width: 200px; height: 200px; background: #00a000; animation: in 2s both }
  @keyframes in { from { opacity: 0 } }</style><div></div>`;
  const lazyImages = Array.from(
    { length: 40 },
    (_, index) => `<img loading="lazy" src="/green.svg?${index}" width="50" height="50">`,
  );

  // Lazy images are requested, and motions in frames and images begin, when a frame is drawn. One in three screenshots was taken
  // before that.
  for (const [title, body] of Object.entries({
    'lazy images of a page without scripts': lazyImages.join(''),
    'a frame that fades in': `<iframe srcdoc='${fading}'></iframe>`,
    'an animated SVG in a frame': '<iframe src="/animated.svg"></iframe>',
    'an animated SVG as an object': '<object data="/animated.svg"></object>',
    'an animated SVG as an image': '<img src="/animated.svg">',
  })) {
    test(`4.3 settle: the first frame is drawn before the page's time runs: ${title}`, async () => {
      const style =
        'body { margin: 0 } iframe, object { width: 200px; height: 200px; border: 0; display: block }';
      const url = server.route('/framed', `<!doctype html><style>${style}</style>${body}`);
      for (let turn = 0; turn < turns; turn += 1)
        assert.equal(
          await colourOf((await kit.shoot(url, { width: 800, height: 600 })).bytes, 20, 20),
          'green',
        );
    });
  }
}
