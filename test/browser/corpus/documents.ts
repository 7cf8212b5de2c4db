// Documents that are not HTML.
import sharp from 'sharp';
import { green, greenSvg, typed } from '#test/browser/corpus/kit.ts';
import type { CorpusPage } from '#test/browser/corpus/kit.ts';

const greenPicture = { width: 200, height: 200, channels: 3 as const, background: green };

export const documents: CorpusPage[] = [
  {
    title: 'SVG as the document',
    page: typed('image/svg+xml', greenSvg),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'XML with an XSLT style sheet',
    page: typed(
      'text/xml',
      `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/style.xsl"?><page colour="${green}"/>`,
    ),
    // Chromium 156 shows a warning above the page, 123 px tall.
    sees: [[100, 180, 'green']],
  },
  {
    title: 'XHTML',
    page: typed(
      'application/xhtml+xml',
      `<html xmlns="http://www.w3.org/1999/xhtml"><body style="margin:0"><div style="height:200px;background:${green}"/></body></html>`,
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'a PNG as the document, in the middle',
    page: typed('image/png', await sharp({ create: greenPicture }).png().toBuffer()),
    sees: [
      [305, 205, 'green'],
      [495, 395, 'green'],
    ],
  },
  {
    title: 'XML with a CSS style sheet',
    page: typed(
      'text/xml',
      '<?xml version="1.0"?><?xml-stylesheet type="text/css" href="/style.css"?><page/>',
    ),
    sees: [[100, 100, 'green']],
  },
];
