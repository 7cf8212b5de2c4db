// Types and helpers of the corpus pages.
import type { Route } from '#test/support/page-server.ts';

type Colour = 'green' | 'red' | 'grey' | 'white' | 'yellow';
export type Point = [x: number, y: number, colour: Colour | `${Colour} or ${Colour}`];

export interface CorpusPage {
  title: string;
  /** The page, or the function that serves it. */
  page: Route;
  /** The anchor at which the page is opened. */
  anchor?: string;
  /** 800 x 600, or the full page if set. */
  fullPage?: boolean;
  sees: Point[];
  /** Size of the picture; by default that of the viewport. */
  height?: number;
}

export const green = '#00a000';
export const red = '#c80000';
export const box = (style: string, more = '') => `<div style="background:${green};${style}" ${more}></div>`;
export const html = (body: string, style = '', head = '') =>
  `<!doctype html><html><head>${head}<style>body { margin: 0 } ${style}</style></head><body>${body}</body></html>`;
export const script = (code: string) => `<script>${code}</script>`;
export const typed =
  (type: string, body: string | Buffer): Route =>
  (_, response) =>
    void response.setHeader('content-type', type).end(body);
export const greenSvg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><rect width="200" height="200" fill="${green}"/></svg>`;

export const files: Record<string, Route> = {
  '/green.svg': typed('image/svg+xml', greenSvg),
  '/unanswered.svg': () => {},
  '/frame': html(box('height:300px')),
  '/tall-frame': html(`<div style="height:1400px;background:${red}"></div>${box('height:100px')}`),
  '/late-green.svg': (_, response) =>
    void setTimeout(() => response.setHeader('content-type', 'image/svg+xml').end(greenSvg), 150),
  '/style.css': typed('text/css', `page { display: block; height: 200px; background: ${green} }`),
  '/painter.js': typed(
    'text/javascript',
    `onmessage = ({ data }) => { const d = data.getContext('2d'); d.fillStyle = '${green}'; d.fillRect(0, 0, 200, 200); postMessage('') }`,
  ),
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
