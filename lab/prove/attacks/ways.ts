// The ways in which a page can request an address, as data. Each is tried twice: with an allowed server, to see that it works,
// and with a canary. Adding a way is adding a row.
import type { Route } from '#test/support/page-server.ts';

/** Markup or script that requests TARGET; REDIRECT is an address of the same site that redirects there. */
export const ways: Record<string, string> = {
  image: '<img src="TARGET">',
  srcset: '<img srcset="TARGET 1x">',
  picture: '<picture><source srcset="TARGET"><img></picture>',
  script: '<script src="TARGET"></script>',
  module: '<script type="module">import("TARGET").catch(() => {})</script>',
  'module-preload': '<link rel="modulepreload" href="TARGET">',
  stylesheet: '<link rel="stylesheet" href="TARGET">',
  'css-import': '<style>@import url("TARGET");</style>',
  background: '<div style="background:url(TARGET);width:9px;height:9px"></div>',
  'border-image': '<div style="border:9px solid;border-image:url(TARGET) 1"></div>',
  mask: '<div style="mask-image:url(TARGET);width:9px;height:9px;background:red"></div>',
  'list-style': '<ul><li style="list-style-image:url(TARGET)">x</li></ul>',
  'css-content': '<style>i::before { content: url(TARGET) }</style><i></i>',
  font: '<style>@font-face { font-family: far; src: url(TARGET) } b { font-family: far }</style><b>text</b>',
  frame: '<iframe src="TARGET"></iframe>',
  'sandboxed-frame': '<iframe sandbox src="TARGET"></iframe>',
  'frame-in-frame': '<iframe srcdoc="<iframe src=TARGET></iframe>"></iframe>',
  'refreshed-frame': '<iframe srcdoc="<meta http-equiv=refresh content=0;url=TARGET>"></iframe>',
  'data-page': '<iframe src="data:text/html,<img src=TARGET>"></iframe>',
  'blob-page':
    '<iframe id="blob"></iframe><script>document.getElementById("blob").src = URL.createObjectURL(new Blob(["<img src=TARGET>"], { type: "text/html" }))</script>',
  'script-page': '<iframe src="javascript:\'<img src=TARGET>\'"></iframe>',
  object: '<object data="TARGET"></object>',
  embed: '<embed src="TARGET">',
  video: '<video autoplay muted src="TARGET"></video>',
  'video-source': '<video autoplay muted><source src="TARGET"></video>',
  audio: '<audio autoplay src="TARGET"></audio>',
  poster: '<video poster="TARGET"></video>',
  'svg-image': '<svg><image href="TARGET" width="9" height="9"/></svg>',
  'input-image': '<input type="image" src="TARGET">',
  preload: '<link rel="preload" as="image" href="TARGET">',
  prefetch: '<link rel="prefetch" href="TARGET">',
  fetch: '<script>fetch("TARGET", { mode: "no-cors" }).catch(() => {})</script>',
  keepalive:
    '<script>fetch("TARGET", { mode: "no-cors", keepalive: true, method: "POST" }).catch(() => {})</script>',
  xhr: '<script>{ const x = new XMLHttpRequest(); x.open("GET", "TARGET"); x.send() }</script>',
  beacon: '<script>navigator.sendBeacon("TARGET", "x")</script>',
  events: '<script>new EventSource("TARGET")</script>',
  websocket: '<script>new WebSocket("TARGET".replace("http", "ws"))</script>',
  form: '<iframe name="f"></iframe><form target="f" method="post" action="TARGET" id="form"></form><script>form.submit()</script>',
  worker:
    '<script>new Worker(URL.createObjectURL(new Blob([`fetch("TARGET", { mode: "no-cors" }).catch(() => {})`])))</script>',
  'worker-socket':
    '<script>new Worker(URL.createObjectURL(new Blob([`new WebSocket("TARGET".replace("http", "ws"))`])))</script>',
  'shared-worker':
    '<script>new SharedWorker(URL.createObjectURL(new Blob([`fetch("TARGET", { mode: "no-cors" }).catch(() => {})`])))</script>',
  'import-scripts': '<script>new Worker(URL.createObjectURL(new Blob([`importScripts("TARGET")`])))</script>',
  worklet: '<script>CSS.paintWorklet.addModule("TARGET").catch(() => {})</script>',
  'service-worker':
    '<script>navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready).then((r) => r.active.postMessage("TARGET"))</script><img src="/delay">',
  'redirected-image': '<img src="REDIRECT">',
  'redirected-frame': '<iframe src="REDIRECT"></iframe>',
  'redirected-fetch': '<script>fetch("REDIRECT", { mode: "no-cors" }).catch(() => {})</script>',
  'policy-report': '<iframe src="/report?TARGET"></iframe>',
};

/** A page that tries every way at once; the target identifies each by its name. */
export function pageOfWays(target: string): string {
  const parts = Object.entries(ways).map(([name, markup]) =>
    markup
      .replaceAll('TARGET', `${target}/${name}`)
      .replaceAll('REDIRECT', `/redirect?${encodeURIComponent(`${target}/${name}`)}`),
  );
  return `<!doctype html><body>${parts.join('\n')}`;
}

/** What the page of ways needs at its own site. */
export const waysRoutes: Record<string, Route> = {
  '/redirect': (request, response) =>
    void response.writeHead(302, { location: decodeURIComponent(request.url!.split('?')[1]!) }).end(),
  '/delay': (_, response) => void setTimeout(() => response.end(), 500).unref(),
  '/sw.js': (_, response) =>
    void response
      .setHeader('content-type', 'text/javascript')
      .end(
        `onmessage = (event) => event.waitUntil(fetch(event.data, { mode: 'no-cors' }).catch(() => {}).then(() => event.source.postMessage(1)))`,
      ),
  '/report': (request, response) =>
    void response
      .writeHead(200, {
        'content-type': 'text/html',
        'content-security-policy': `default-src 'none'; report-uri ${request.url!.split('?')[1]}`,
      })
      .end('<img src="/x">'),
};

/** How the main frame itself is navigated to another address. */
export const moves: Record<string, (target: string) => Route> = {
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `answer ${status}`,
      (target: string): Route =>
        (_, response) =>
          void response.writeHead(status, { location: target }).end(),
    ]),
  ),
  'Refresh header': (target) => (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html', refresh: `0;url=${target}` }).end('text'),
  'meta refresh': (target) => `<meta http-equiv="refresh" content="0;url=${target}">text`,
  location: (target) => `text<script>location = '${target}'</script>`,
  'location.replace': (target) => `text<script>location.replace('${target}')</script>`,
  'location after a while': (target) =>
    `text<script>setTimeout(() => { location = '${target}' }, 300)</script>`,
  'window.open _self': (target) => `text<script>open('${target}', '_self')</script>`,
  'navigation API': (target) => `text<script>onload = () => navigation.navigate('${target}')</script>`,
  link: (target) => `<a id="a" href="${target}">text</a><script>a.click()</script>`,
  'GET form': (target) => `<form id="f" action="${target}"></form>text<script>f.submit()</script>`,
  'POST form': (target) =>
    `<form id="f" method="post" action="${target}"></form>text<script>f.submit()</script>`,
  'frame that moves its parent': (target) =>
    `text<iframe srcdoc="<script>parent.location = '${target}'</script>"></iframe>`,
};
