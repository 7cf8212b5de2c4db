// Attacks on the machine itself: its files, its ports, its disk.
import { readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { type Attack, green, inTurns, isFailure, isRefusal } from '#lab/prove/attacks/stage.ts';
import { moves } from '#lab/prove/attacks/ways.ts';
import type { RenderAnswer } from '#lab/prove/renderer.ts';
import type { Route } from '#test/support/page-server.ts';
import { colourOf, decode } from '#test/support/pixels.ts';
import {
  browsers,
  groupMembers,
  listeningPorts,
  scratchFolders,
  workers,
} from '#test/support/process-table.ts';

export const schemes: Attack = async ({ shoot, site }) => {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-test-'));
  try {
    await chmod(folder, 0o755);
    const red = join(folder, 'red.png');
    await sharp({ create: { width: 300, height: 300, channels: 3, background: '#f00' } }).toFile(red);
    await chmod(red, 0o644);
    const addresses = [
      `file://${red}`,
      `view-source:${site.base}/red`,
      'data:text/html,<body style="background:red">',
      'chrome://version',
      'chrome://crash',
      'devtools://devtools/bundled/inspector.html',
      'about:version',
      'ftp://127.0.0.1/',
      `filesystem:${site.base}/temporary/red`,
    ];
    site.route('/red', '<body style="background:red">');
    const own = await shoot(site.route('/red-own', `${green}<object data="/red"></object>`));
    const asUrl = await inTurns([...addresses, 'javascript:1', `blob:${site.base}/1`], (url) => shoot(url));
    const inPage = await inTurns(addresses, (url, index) => {
      const quoted = url.replaceAll("'", '%27').replaceAll('"', '%22');
      // What a page writes into a data: address is its own content; only the main frame may not go there.
      const markup = url.startsWith('data:')
        ? ''
        : `<img src="${quoted}" style="position:absolute"><object data="${quoted}"></object><div style="background:url('${quoted}');width:300px;height:99px"></div>`;
      return shoot(
        site.route(
          `/scheme-${index}`,
          `${green}${markup}<script>location = '${quoted}'; open('${quoted}', '_self')</script>`,
        ),
      );
    });
    const behindRedirect = await inTurns(addresses, (url, index) =>
      shoot(site.route(`/scheme-to-${index}`, moves['answer 302']!(url))),
    );
    const refused = asUrl.filter(isRefusal).length;
    const failed = behindRedirect.filter(isFailure).length;
    const shown = await Promise.all(inPage.map(redPixels));
    const unclean = addresses.filter((_, index) => shown[index] !== 0);
    const isSeen = (await redPixels(own)) > 0;
    return {
      what: '`file:`, `view-source:`, `data:`, `chrome:`, `devtools:`, `about:`, `ftp:` and `filesystem:`, as `url`, in a page, behind a redirect',
      seen: `as \`url\` ${refused} of ${asUrl.length} refused with 422; behind a redirect ${failed} of ${behindRedirect.length} answered 502; in a page ${inPage.length - unclean.length} of ${inPage.length} drawn without a pixel of the target (its own is drawn: ${isSeen ? 'yes' : 'no'})${unclean.map((url) => `, not ${url}`).join('')}`,
      holds: refused === asUrl.length && failed === behindRedirect.length && unclean.length === 0 && isSeen,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
};

async function redPixels({ status, bytes }: RenderAnswer): Promise<number> {
  if (status !== 200) return Number.NaN;
  const picture = await decode(bytes);
  let count = 0;
  for (let y = 0; y < picture.height; y += 1) {
    for (let x = 0; x < picture.width; x += 1) {
      const [red, other] = picture.at(x, y);
      if (red > 180 && other < 60) count += 1;
    }
  }
  return count;
}

export const ownPorts: Attack = async ({ shoot, service }) => {
  const members = browsers()
    .flatMap(({ group }) => groupMembers(group))
    .filter(({ pid, group }) => pid !== group);
  const ofBrowser = listeningPorts(members.map(({ pid }) => pid));
  const ofService = listeningPorts([process.pid, ...workers().map(({ pid }) => pid)]);
  const urls = ofService.flatMap((port) => [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/json/version`,
  ]);
  const answers = await inTurns(urls, (url) => shoot(url));
  const refused = answers.filter(isRefusal).length;
  const isServiceSeen = ofService.includes(Number(new URL(service.origin).port));
  return {
    what: 'the DevTools port, the proxy and the service itself as targets',
    seen: `the ${members.length} processes of the browser listen on ${ofBrowser.length} ports; of ${ofService.length} ports of the service and its proxy, ${refused} of ${answers.length} addresses refused with 422`,
    holds: members.length > 2 && ofBrowser.length === 0 && isServiceSeen && refused === answers.length,
  };
};

export const downloads: Attack = async ({ shoot, site }) => {
  const file: Route = (_, response) =>
    void response
      .writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="canary-download.bin"',
      })
      .end(Buffer.alloc(200_000, 'canary'));
  const main = await shoot(site.route('/file', file));
  const { status, bytes } = await shoot(
    site.route(
      '/file-page',
      `${green}<a id="a" href="/file" download="canary-download.bin"></a><iframe src="/file"></iframe><script>a.click(); a.href = URL.createObjectURL(new Blob(['canary'])); a.click()</script><img src="/delay">`,
    ),
  );
  const left = scratchFolders()
    .flatMap((name) => readdirSync(join(tmpdir(), name), { recursive: true, encoding: 'utf8' }))
    .filter((name) => /canary-download|crdownload/.test(name));
  const colour = status === 200 ? await colourOf(bytes) : status;
  return {
    what: 'downloads, as the page and by script',
    seen: `${main.status} ("${main.message.replace(/^url: /, '')}"); by script the page is drawn (${colour}); ${left.length} files on the disk`,
    holds: isFailure(main) && colour === 'green' && left.length === 0,
  };
};
