// Pages that are captured whole.
import { box, green, html, red, script } from '#test/browser/corpus/kit.ts';
import type { CorpusPage, Point } from '#test/browser/corpus/kit.ts';

export const many = (count: number) =>
  html(
    `${box('height:100px')}<div id="all"></div>${script(`
      const html = []; for (let i = 0; i < ${count}; i++) html.push('<b>' + i % 10 + '</b>'); all.innerHTML = html.join(' ')`)}${box('height:100px')}`,
    '#all { height: 1000px; overflow: hidden; font-size: 4px }',
  );

export const fullPages: CorpusPage[] = [
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
    title: 'images that an observer loads',
    page: html(
      `${'<img data-src="/late-green.svg" width="200" height="200">'.repeat(5)}${script(`
        const seen = new IntersectionObserver((entries) => entries.forEach((e) => { if (e.isIntersecting) e.target.src = e.target.dataset.src }));
        document.querySelectorAll('img').forEach((img) => seen.observe(img))`)}`,
      'img { display: block; margin-bottom: 800px }',
    ),
    fullPage: true,
    height: 5000,
    sees: Array.from({ length: 5 }, (_, i): Point => [100, i * 1000 + 100, 'green']),
  },
  {
    title: 'boxes that fade in when they are scrolled to',
    page: html(
      `${'<p></p>'.repeat(5)}${script(`
        const seen = new IntersectionObserver((entries) => entries.forEach((e) => { if (e.isIntersecting) e.target.className = 'in' }), { threshold: 0.5 });
        document.querySelectorAll('p').forEach((p) => seen.observe(p))`)}`,
      `p { margin: 0 0 800px; height: 200px; background: ${green}; opacity: 0; transition: opacity .6s, transform .6s; transform: translateY(60px) } .in { opacity: 1; transform: none }`,
    ),
    fullPage: true,
    height: 5000,
    sees: Array.from({ length: 5 }, (_, i): Point => [100, i * 1000 + 195, 'green']),
  },
  {
    title: 'a sticky footer is at the bottom of the first view, and once',
    page: html(`<div style="height:3000px"></div>${box('position:sticky;bottom:0;height:50px')}`),
    fullPage: true,
    height: 3050,
    sees: [
      [400, 575, 'green'],
      [400, 625, 'white'],
      [400, 3025, 'white'],
    ],
  },
  {
    title: 'a fixed header is there once in a picture of several pieces',
    page: html(
      `${box('position:fixed;top:0;height:50px;width:100%')}<div style="height:39900px"></div><div style="height:100px;background:${red}"></div>`,
    ),
    fullPage: true,
    height: 40_000,
    sees: [
      [400, 25, 'green'],
      [400, 75, 'white'],
      [400, 20_025, 'white'],
      [400, 31_500, 'white'],
      [400, 39_950, 'red'],
    ],
  },
  {
    title: 'smooth scrolling and scroll snapping leave the page at its start',
    page: html(
      `<section style="background:${green}"></section>${`<section style="background:${red}"></section>`.repeat(4)}`,
      'html { scroll-behavior: smooth; scroll-snap-type: y mandatory } section { height: 100vh; scroll-snap-align: start }',
    ),
    fullPage: true,
    height: 3000,
    sees: [
      [400, 5, 'green'],
      [400, 595, 'green'],
      [400, 605, 'red'],
      [400, 2995, 'red'],
    ],
  },
  {
    title: 'a page that a wall keeps from scrolling is shown whole',
    page: html(
      `<div style="height:2900px"></div>${box('height:100px')}`,
      'body { overflow: hidden; height: 100vh }',
    ),
    fullPage: true,
    height: 3000,
    sees: [
      [400, 2890, 'white'],
      [400, 2950, 'green'],
    ],
  },
  {
    title: 'a body that scrolls inside its page shows its beginning',
    page: html(
      `${box('height:600px')}<div style="height:3000px;background:${red}"></div>`,
      'html { height: 100%; overflow: hidden } body { height: 100%; overflow: auto }',
    ),
    fullPage: true,
    sees: [[400, 590, 'green']],
  },
  {
    title: 'a zoomed page, whole',
    page: html(`<div style="height:1000px"></div>${box('height:100px')}`, 'html { zoom: 2 }'),
    fullPage: true,
    height: 2200,
    sees: [
      [400, 1990, 'white'],
      [400, 2010, 'green'],
      [795, 2190, 'green'],
    ],
  },
  {
    title: 'a lazy frame of another site, far down',
    page: html(
      `<div style="height:4000px"></div><iframe loading="lazy" style="display:block;border:0;width:400px;height:300px"></iframe>${script(
        `document.querySelector('iframe').src = location.origin.replace('127.0.0.1', 'localhost') + '/frame'`,
      )}`,
    ),
    fullPage: true,
    height: 4300,
    sees: [[200, 4290, 'green']],
  },
  {
    title: 'a frame of another site, far down and taller than the viewport, below a fixed header',
    page: html(
      `${box('position:fixed;top:0;height:50px;width:100%')}<div style="height:2000px"></div><iframe style="display:block;border:0;width:400px;height:1500px"></iframe>${script(
        `document.querySelector('iframe').src = location.origin.replace('127.0.0.1', 'localhost') + '/tall-frame'`,
      )}`,
    ),
    fullPage: true,
    height: 3500,
    sees: [
      [200, 2010, 'red'],
      [200, 2700, 'red'],
      [200, 3390, 'red'],
      [200, 3410, 'green'],
      [600, 2700, 'white'],
    ],
  },
  {
    // Whether Chromium has drawn a frame below the first view differs from one render to the next.
    title: 'a frame of another site that a wall covers is drawn or left blank, without the wall',
    page: html(
      `<div style="height:2000px"></div><iframe style="display:block;border:0;width:400px;height:300px"></iframe><div style="position:fixed;inset:0;background:${red}"></div>${script(
        `document.querySelector('iframe').src = location.origin.replace('127.0.0.1', 'localhost') + '/frame'`,
      )}`,
    ),
    fullPage: true,
    height: 2300,
    sees: [
      [200, 300, 'red'],
      [200, 2150, 'white or green'],
    ],
  },
  {
    title: 'quirks mode, whole',
    page: `<html><body style="margin:0"><div style="height:3000px"></div><div style="height:100px;background:${green}"></div></body></html>`,
    fullPage: true,
    height: 3100,
    sees: [[400, 3050, 'green']],
  },
];
