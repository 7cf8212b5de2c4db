// What pages do by themselves.
import { box, green, html, red, script } from '#test/browser/corpus/kit.ts';
import type { CorpusPage, Point } from '#test/browser/corpus/kit.ts';

export const behaviours: CorpusPage[] = [
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
  ...[false, true].map((fullPage) => ({
    title: `a transition that a timer starts late is at its end${fullPage ? ', full page' : ''}`,
    page: html(
      `${box('width:200px;height:200px', 'id="b"')}<div style="height:1000px"></div>${script(
        `onload = () => setTimeout(() => { b.className = 'in' }, 2800)`,
      )}`,
      '#b { transform: translateX(500px); transition: transform 2.5s linear } #b.in { transform: none }',
    ),
    fullPage,
    height: fullPage ? 1200 : 600,
    sees: [
      [5, 100, 'green'],
      [195, 100, 'green'],
      [205, 100, 'white'],
    ] satisfies Point[],
  })),
  {
    title: 'a page that stops its own loading, and so has no load event',
    page: html(
      `${box('height:200px')}<img src="/green.svg" onload="window.stop()"><img src="/unanswered.svg">`,
    ),
    sees: [[100, 100, 'green']],
  },
  ...[false, true].map((fullPage) => ({
    title: `a page opened at an anchor, with smooth scrolling${fullPage ? ', full page: its start' : ''}`,
    page: html(
      `<div style="height:3000px;background:${red}"></div>${box('height:600px', 'id="here"')}`,
      'html { scroll-behavior: smooth }',
    ),
    anchor: '#here',
    fullPage,
    height: fullPage ? 3600 : 600,
    sees: (fullPage
      ? [
          [100, 5, 'red'],
          [100, 3300, 'green'],
        ]
      : [
          [100, 5, 'green'],
          [100, 595, 'green'],
        ]) satisfies Point[],
  })),
  ...[false, true].map((fullPage) => ({
    title: `an animation of SVG itself is at its end${fullPage ? ', full page' : ''}`,
    page: html(
      `<svg width="200" height="200" style="display:block"><rect width="200" height="200" fill="${red}"><animate attributeName="fill" from="${red}" to="${green}" dur="2.5s" fill="freeze"/></rect></svg><div style="height:1000px"></div>`,
    ),
    fullPage,
    height: fullPage ? 1200 : 600,
    sees: [[100, 100, 'green']] satisfies Point[],
  })),
];
