// Pictures of every format and size, for the capture tests of every gate. Spec 4.3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PictureFormat } from '#browser/job.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import type { PageServer, Route } from '#test/support/page-server.ts';
import { decode, isNear } from '#test/support/pixels.ts';

type Parts = () => { kit: TestBrowser; server: PageServer };
const bandPx = 500;

export const captureRoutes: Record<string, Route> = {
  // A red frame around the edge of the viewport as the page sees it.
  '/edges': `<!doctype html><body style="margin:0;overflow:hidden"><div id="d" style="box-sizing:border-box;border:4px solid #c80000;background:#00a000"></div>
      <script>d.style.width = innerWidth + 'px'; d.style.height = innerHeight + 'px'; document.title = innerWidth + 'x' + innerHeight + '@' + devicePixelRatio</script>`,
  '/bands': (request, response) => {
    const count = Number(request.url!.split('?')[1]);
    const bands = Array.from(
      { length: count },
      (_, i) => `<div style="height:${bandPx}px;background:rgb(${colourOf(i).join(',')})"></div>`,
    );
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><body style="margin:0">${bands.join('')}`);
  },
};

function colourOf(band: number): [number, number, number] {
  return [(band * 53) % 256, (band * 97 + 40) % 256, (band * 151 + 90) % 256];
}

export function testViewport(format: PictureFormat, width: number, height: number, parts: Parts): void {
  test(`4.3 ${format} of ${width}x${height}: the page sees that viewport and fills the picture`, async () => {
    const { kit, server } = parts();
    const shot = await kit.shoot(`${server.base}/edges`, { format, width, height });
    const picture = await decode(shot.bytes);
    assert.deepEqual([picture.format, picture.width, picture.height], [format, width, height]);
    for (const [x, y] of [
      [1, 1],
      [width - 2, 1],
      [1, height - 2],
      [width - 2, height - 2],
    ] as const) {
      assert.ok(
        isNear(picture.at(x, y), [200, 0, 0], 24),
        `edge at ${x},${y}: ${picture.at(x, y).join(',')}`,
      );
    }
    assert.ok(isNear(picture.at(width / 2, height / 2), [0, 160, 0]), 'the middle is green');
  });
}

export interface Height {
  format: PictureFormat;
  bands: number;
  cutPx?: number;
}

export function testHeight({ format, bands, cutPx }: Height, parts: Parts): void {
  test(`4.3 full_page: ${format} of ${bands * bandPx} px, every band in its colour`, async () => {
    const { kit, server } = parts();
    const shot = await kit.shoot(`${server.base}/bands?${bands}`, {
      format,
      fullPage: true,
      width: 400,
      height: 900,
    });
    const picture = await decode(shot.bytes);
    const height = cutPx ?? bands * bandPx;
    assert.deepEqual([picture.format, picture.width, picture.height], [format, 400, height]);
    const wrong: string[] = [];
    for (let band = 0; band * bandPx < height; band += 1) {
      const top = band * bandPx;
      for (const y of [top + 10, Math.min(top + bandPx, height) - 10]) {
        if (y < top) continue;
        const actual = picture.at(200, y);
        if (!isNear(actual, colourOf(band), format === 'png' ? 0 : 12))
          wrong.push(`${y}: ${actual.join(',')}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}
