// What pages are made of: frames, shadow trees, fonts, canvases, and the settings that they see.
import { box, green, html, red, script } from '#test/browser/corpus/kit.ts';
import type { CorpusPage, Point } from '#test/browser/corpus/kit.ts';

export const contents: CorpusPage[] = [
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
    title: 'a web font that comes late is drawn',
    page: html(
      '<p>■</p>',
      `@font-face { font-family: Late; src: url(/late.ttf?600); font-display: block } p { margin: 0; font: 400px/400px Late; color: ${green} }`,
    ),
    sees: [[120, 220, 'green']],
  },
  {
    title: 'a shadow tree in the document, with a slot',
    page: html(
      `<div><template shadowrootmode="open"><style>::slotted(p) { margin: 0; height: 200px; background: ${green} }</style><slot></slot></template><p></p></div>`,
    ),
    sees: [[100, 100, 'green']],
  },
  {
    title: 'a canvas that is drawn a little in every frame',
    page: html(
      `<canvas id="c" width="200" height="200"></canvas>${script(`const d = c.getContext('2d'); d.fillStyle = '${green}'; let y = 0;
        (function step() { d.fillRect(0, y, 200, 10); y += 10; if (y < 200) requestAnimationFrame(step) })()`)}`,
    ),
    sees: [[100, 195, 'green']],
  },
  {
    title: 'a canvas that a worker draws',
    page: html(
      `<canvas id="c" width="200" height="200"></canvas>${script(`const o = c.transferControlToOffscreen(); new Worker('/painter.js').postMessage(o, [o])`)}`,
    ),
    sees: [[100, 100, 'green']],
  },
  ...['webgl', 'webgl2'].map((context) => ({
    title: `${context}: a triangle that is drawn once, in a frame`,
    page: html(
      `<canvas id="c" width="200" height="200"></canvas>${script(`const g = c.getContext('${context}'), p = g.createProgram();
        const add = (type, source) => { const s = g.createShader(type); g.shaderSource(s, source); g.compileShader(s); g.attachShader(p, s) };
        add(g.VERTEX_SHADER, 'attribute vec2 a; void main() { gl_Position = vec4(a, 0, 1); }');
        add(g.FRAGMENT_SHADER, 'precision mediump float; void main() { gl_FragColor = vec4(0, .6275, 0, 1); }');
        g.linkProgram(p); g.useProgram(p); g.bindBuffer(g.ARRAY_BUFFER, g.createBuffer());
        g.bufferData(g.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), g.STATIC_DRAW);
        g.enableVertexAttribArray(0); g.vertexAttribPointer(g.getAttribLocation(p, 'a'), 2, g.FLOAT, false, 0, 0);
        requestAnimationFrame(() => g.drawArrays(g.TRIANGLES, 0, 3))`)}`,
    ),
    sees: [[100, 100, 'green']] satisfies Point[],
  })),
];
