// Small pages, one for each thing that pages of the web do, with what must be seen of it: colours at points of the picture.
import type { Route } from '#lab/support/page-server.ts';

type Point = [x: number, y: number, colour: 'green' | 'red' | 'grey' | 'white' | 'yellow'];

export interface CorpusPage {
  title: string;
  /** The page, or how it is answered. */
  page: Route;
  /** 800 x 600; the full page where it says so. */
  fullPage?: boolean;
  sees: Point[];
  /** Of the picture; the viewport's unless it says otherwise. */
  height?: number;
}

const green = '#00a000';
const red = '#c80000';
const box = (style: string, more = '') => `<div style="background:${green};${style}" ${more}></div>`;
const html = (body: string, style = '', head = '') =>
  `<!doctype html><html><head>${head}<style>body { margin: 0 } ${style}</style></head><body>${body}</body></html>`;
const script = (code: string) => `<script>${code}</script>`;
const typed =
  (type: string, body: string | Buffer): Route =>
  (_, response) =>
    void response.setHeader('content-type', type).end(body);
const greenSvg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><rect width="200" height="200" fill="${green}"/></svg>`;
const many = (count: number) =>
  html(
    `${box('height:100px')}<div id="all"></div>${script(`
      const html = []; for (let i = 0; i < ${count}; i++) html.push('<b>' + i % 10 + '</b>'); all.innerHTML = html.join(' ')`)}${box('height:100px')}`,
    '#all { height: 1000px; overflow: hidden; font-size: 4px }',
  );

export const files: Record<string, Route> = {
  '/green.svg': typed('image/svg+xml', greenSvg),
  '/frame': html(box('height:300px')),
  '/late-green.svg': (_, response) =>
    void setTimeout(() => response.setHeader('content-type', 'image/svg+xml').end(greenSvg), 150),
  '/style.xsl': typed(
    'text/xsl',
    `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><body style="margin:0"><div style="height:200px;background:{/page/@colour}"></div></body></html></xsl:template></xsl:stylesheet>`,
  ),
  '/worker.js': typed(
    'text/javascript',
    `oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());
     onfetch = (e) => { if (e.request.url.endsWith('/from-worker')) e.respondWith(new Response('${green}')) }`,
  ),
};

export const corpus: CorpusPage[] = [
  {
    title: 'lazy images',
    page: html(
      Array.from(
        { length: 8 },
        (_, i) => `<img loading="lazy" src="/green.svg?${i}" style="display:block;margin-bottom:800px">`,
      ).join(''),
    ),
    fullPage: true,
    height: 8000,
    sees: Array.from({ length: 8 }, (_, i): Point => [100, i * 1000 + 100, 'green']),
  },
  {
    title: 'background images that an observer sets',
    page: html(
      `${'<p class="late"></p>'.repeat(6)}${script(`
        const seen = new IntersectionObserver((entries) => entries.forEach((e) => { if (e.isIntersecting) e.target.style.backgroundImage = 'url(/late-green.svg)' }));
        document.querySelectorAll('.late').forEach((p) => seen.observe(p))`)}`,
      '.late { margin: 0 0 700px; height: 200px; width: 200px; background: #ddd }',
    ),
    fullPage: true,
    height: 5400,
    sees: Array.from({ length: 6 }, (_, i): Point => [100, i * 900 + 100, 'green']),
  },
  {
    title: 'a sticky header is where the page begins, and once',
    page: html(`${box('position:sticky;top:0;height:50px')}<div style="height:3000px"></div>`),
    fullPage: true,
    height: 3050,
    sees: [
      [400, 25, 'green'],
      [400, 75, 'white'],
      [400, 1500, 'white'],
      [400, 3025, 'white'],
    ],
  },
  {
    title: 'a fixed footer is where a reader sees it first, and once',
    page: html(`${box('position:fixed;bottom:0;height:50px;width:100%')}<div style="height:3000px"></div>`),
    fullPage: true,
    height: 3000,
    sees: [
      [400, 575, 'green'],
      [400, 625, 'white'],
      [400, 2975, 'white'],
    ],
  },
  {
    title: 'a cookie wall stays as it comes',
    page: html(
      `<div style="height:3000px"></div>${box('position:fixed;inset:0 0 auto 0;height:100vh;opacity:1')}`,
    ),
    fullPage: true,
    height: 3000,
    sees: [
      [400, 300, 'green'],
      [400, 700, 'white'],
    ],
  },
  {
    title: 'sections of 100vh are as tall as the viewport',
    page: html(
      `${box('height:100vh')}<div style="height:100vh;background:${red}"></div>${box('height:100dvh')}`,
    ),
    fullPage: true,
    height: 1800,
    sees: [
      [400, 599, 'green'],
      [400, 601, 'red'],
      [400, 1199, 'red'],
      [400, 1201, 'green'],
    ],
  },
  {
    title: 'an inner scroller shows its beginning',
    page: html(
      `<div style="height:100vh;overflow:auto">${box('height:600px')}<div style="height:3000px;background:${red}"></div></div>`,
    ),
    fullPage: true,
    height: 600,
    sees: [[400, 590, 'green']],
  },
  {
    title: 'a frame of the same site',
    page: html('<iframe src="/frame" style="border:0;width:400px;height:300px"></iframe>'),
    sees: [[200, 290, 'green']],
  },
  {
    title: 'a frame of another site',
    page: html(
      `<iframe style="border:0;width:400px;height:300px"></iframe>${script(
        `document.querySelector('iframe').src = location.origin.replace('127.0.0.1', 'localhost') + '/frame'`,
      )}`,
    ),
    fullPage: true,
    sees: [[200, 290, 'green']],
  },
  {
    title: 'a fade-in inside a shadow tree',
    page: html(
      `<x-box></x-box>${script(`customElements.define('x-box', class extends HTMLElement { connectedCallback() {
        this.attachShadow({ mode: 'closed' }).innerHTML = '<style>@keyframes in { from { opacity: 0 } } div { height: 200px; background: ${green}; animation: in 2s both }</style><div></div>' } })`)}`,
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'a font that is loaded late',
    page: html(
      `<div id="b" style="height:200px;background:${red}"></div>${script(`setTimeout(async () => {
        const font = new FontFace('Late', 'url(/late.ttf)'); await font.load(); document.fonts.add(font); b.style.background = '${green}' }, 500)`)}`,
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'content-visibility: auto below the fold',
    page: html(
      `<section>${box('height:2000px')}</section>`.repeat(4),
      'section { content-visibility: auto; contain-intrinsic-size: auto 500px }',
    ),
    fullPage: true,
    height: 8000,
    sees: [
      [400, 1000, 'green'],
      [400, 4500, 'green'],
      [400, 7900, 'green'],
    ],
  },
  {
    title: 'a view transition that the load starts is over',
    page: html(
      `<div id="b" style="height:200px;background:${red}"></div>${script(
        `onload = () => document.startViewTransition(() => { b.style.background = '${green}' })`,
      )}`,
      '::view-transition-group(root) { animation-duration: 2s }',
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'the poster of a video',
    page: html('<video poster="/green.svg" width="200" height="200" src="/none.mp4" preload="none"></video>'),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'a canvas',
    page: html(
      `<canvas id="c" width="200" height="200"></canvas>${script(`const d = c.getContext('2d'); d.fillStyle = '${green}'; d.fillRect(0, 0, 200, 200)`)}`,
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'WebGL',
    page: html(
      `<canvas id="c" width="200" height="200"></canvas>${script(`const g = c.getContext('webgl'); g.clearColor(0, 160 / 255, 0, 1); g.clear(g.COLOR_BUFFER_BIT)`)}`,
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'light colours are the default, and motion is not reduced',
    page: html(
      box('height:200px', 'id="b"'),
      `@media (prefers-color-scheme: dark) { #b { background: ${red} !important } } @media (prefers-reduced-motion) { #b { background: ${red} !important } }`,
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'a page that needs frames to go on',
    page: html(
      `<div id="b" style="height:200px;background:${red}"></div>${script(`let n = 0; (function step() { b.textContent = n; if (++n === 20) { b.style.background = '${green}'; b.textContent = '' } else requestAnimationFrame(step) })()`)}`,
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'a page that asks before it is left, and leaves',
    page: html(
      script(
        `addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'stay' }); onload = () => { location = '/frame' }`,
      ),
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'a dialog is closed',
    page: html(
      `<div id="b" style="height:200px"></div>${script(`b.style.background = prompt('?') === null && confirm('?') === false ? '${green}' : '${red}'; alert(1)`)}`,
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'a service worker answers',
    page: html(
      `<div id="b" style="height:200px"></div>${script(`(async () => {
        const controlled = new Promise((done) => { navigator.serviceWorker.oncontrollerchange = done });
        await navigator.serviceWorker.register('/worker.js'); await controlled;
        b.style.background = await (await fetch('/from-worker')).text() })()`)}`,
    ),
    sees: [[100, 100, 'green']],
  },
  ...[false, true].map((fullPage) => ({
    title: `a 3D transition that the load starts is at its end${fullPage ? ', full page' : ''}`,
    page: html(
      `<div style="perspective:500px">${box('width:200px;height:200px', 'id="b"')}</div><div style="height:1000px"></div>${script(
        `onload = () => requestAnimationFrame(() => { b.className = 'in' })`,
      )}`,
      '#b { will-change: transform; transform: translate3d(900px, 0, -400px) rotateY(80deg); transition: transform 2.5s ease-in-out } #b.in { transform: none }',
    ),
    fullPage,
    height: fullPage ? 1200 : 600,
    sees: [
      [5, 5, 'green'],
      [195, 195, 'green'],
      [205, 100, 'white'],
    ] satisfies Point[],
  })),
  {
    title: 'a background that is fixed to the viewport',
    page: html(
      '<div style="height:2000px"></div>',
      `body { background: linear-gradient(${green} 300px, ${red} 300px) fixed }`,
    ),
    sees: [
      [400, 290, 'green'],
      [400, 310, 'red'],
    ],
  },
  {
    title: 'an image as the document',
    page: typed('image/svg+xml', greenSvg),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'XML with a style sheet',
    page: typed(
      'text/xml',
      `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/style.xsl"?><page colour="${green}"/>`,
    ),
    sees: [[100, 100, 'green']],
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
    title: 'a very wide page is cut at the viewport',
    page: html(box('width:20000px;height:1000px')),
    fullPage: true,
    height: 1000,
    sees: [
      [5, 990, 'green'],
      [795, 5, 'green'],
    ],
  },
  {
    title: 'quirks mode: a body fills the viewport',
    page: `<html><body style="margin:0"><div style="height:100%;background:${green}"></div></body></html>`,
    sees: [[400, 590, 'green']],
  },
  {
    title: 'zoom',
    page: html(box('width:100px;height:100px'), 'body { zoom: 2 }'),
    sees: [
      [195, 195, 'green'],
      [205, 205, 'white'],
    ],
  },
  {
    title: 'a meta viewport changes nothing',
    page: html(
      box('width:50vw;height:200px'),
      '',
      '<meta name="viewport" content="width=320, initial-scale=2">',
    ),
    sees: [
      [395, 100, 'green'],
      [405, 100, 'white'],
    ],
  },
  {
    title: '10,000 elements',
    page: many(10_000),
    fullPage: true,
    height: 1200,
    sees: [
      [400, 50, 'green'],
      [400, 1150, 'green'],
    ],
  },
  {
    title: '100,000 elements',
    page: many(100_000),
    fullPage: true,
    height: 1200,
    sees: [
      [400, 50, 'green'],
      [400, 1150, 'green'],
    ],
  },
];
