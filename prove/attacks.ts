// Proof: no way leads a render to an address that is not public. Real service, real Chromium; canaries on loopback must stay
// silent, and for each way a server that is allowed shows that the way is one. Spec 4.3, 4.4 (`url`); design section 5.
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { launchChromium } from '#browser/chromium-process.ts';
import { findChromium } from '#browser/find-chromium.ts';
import { installFonts } from '#browser/fonts.ts';
import { browserUser } from '#browser/unprivileged.ts';
import { testWall } from '#browser/wall-test.ts';
import { moves, pageOfWays, ways, waysRoutes } from '#prove/attack-ways.ts';
import type { Finding, Proof, Size } from '#prove/proof.ts';
import { askForRender, type RenderAnswer } from '#prove/renderer.ts';
import { deniedUrls, malformedUrls, specialBlocks } from '#test/browser/address-table.ts';
import { cacheFolder } from '#test/support/browser.ts';
import { type Canaries, startCanaries } from '#test/support/canaries.ts';
import { type DnsServer, startDnsServer } from '#test/support/dns-server.ts';
import { type PageServer, type Route, startPageServer } from '#test/support/page-server.ts';
import { colourOf, decode } from '#test/support/pixels.ts';
import { browsers, groupMembers, listeningPorts, scratchFolders } from '#test/support/process-table.ts';
import { startService, type TestService } from '#test/support/service.ts';

/** Open by EGRESS_ALLOW; everything else on loopback is shut. */
const allowedAddress = '127.0.0.2';
const green = '<!doctype html><body style="margin:0;background:#00a000">';

interface Stage {
  service: TestService;
  site: PageServer;
  /** The allowed server, on the port on which the canaries listen at other addresses. */
  twin: PageServer;
  canaries: Canaries;
  shoot(url: string, body?: object): Promise<RenderAnswer>;
}

export const attacksProof: Proof = {
  name: 'attacks',
  title: 'Attacks on the renderer: nothing leads to an address that is not public',
  async run(size, say) {
    const { stage, close } = await setUp();
    const findings: Finding[] = [];
    try {
      for (const attack of attacks) {
        const { canaries } = stage;
        const before = canaries.hits();
        const finding = await attack(stage, size);
        const hits = canaries.hits() - before;
        findings.push({
          what: finding.what,
          seen: `${finding.seen}; ${hits} canaries touched`,
          holds: finding.holds && hits === 0,
        });
        say(`${finding.what}: ${findings.at(-1)!.seen}`);
      }
      return findings;
    } finally {
      await close();
    }
  },
};

async function setUp(): Promise<{ stage: Stage; close: () => Promise<void> }> {
  const twin = await startPageServer({}, { address: allowedAddress });
  twin.onUpgrade((_, socket) => void socket.destroy());
  const canaries = await startCanaries(Number(new URL(twin.base).port));
  const site = await startPageServer(waysRoutes, { address: allowedAddress });
  const dns: DnsServer = await startDnsServer(addressesOf);
  const service = await startService({ EGRESS_ALLOW: allowedAddress, LOG_LEVEL: 'silent' }, 0, dns.lookup);
  const { key } = await service.newKey();
  const shoot = (url: string, body: object = {}) =>
    askForRender(`${service.origin}/api/v1/screenshot`, key, { url, width: 320, height: 320, ...body });
  return {
    stage: { service, site, twin, canaries, shoot },
    async close() {
      await service.stop();
      await Promise.all([site.close(), twin.close()]);
      canaries.close();
      dns.close();
    },
  };
}

/** The names of the proof, by their endings; the first label makes each its own. */
function addressesOf(name: string, lookupsBefore: number): string[] | undefined {
  const kinds: Record<string, string[]> = {
    'private.test': ['127.0.0.1'],
    'private6.test': ['::1'],
    'mixed.test': [allowedAddress, '127.0.0.1'],
    'mixed6.test': ['93.184.215.14', '::1'],
    // Allowed when first looked at, a canary from then on.
    'rebound.test': [lookupsBefore === 0 ? allowedAddress : '127.0.0.1'],
    'allowed.test': [allowedAddress],
  };
  return kinds[name.slice(name.indexOf('.') + 1)];
}

type Attack = (stage: Stage, size: Size) => Promise<Finding>;

/** Every spelling leads to the canary's port, unless it names a port that no server can have. */
const atPort = (url: string, port: number): string =>
  url.replace(/^(https?:\/\/(?:\[[^\]]*\]|[^/:?#]*))(?::[1-9]\d*)?(?=[/?#]|$)/i, `$1:${port}`);

/** By a service without exceptions, as it is by default: an address that is listed opens the private names that stand for it. */
const spelledUrl: Attack = async ({ canaries }) => {
  const service = await startService({ LOG_LEVEL: 'silent' }, 0, () =>
    Promise.reject(new Error('looked up')),
  );
  const { key } = await service.newKey();
  const blocks = specialBlocks.flatMap(({ first, last }) => [first, last]);
  const literals = blocks.map((address) => `http://${address.includes(':') ? `[${address}]` : address}/`);
  const urls = [...deniedUrls, ...literals].map((url) => atPort(url, canaries.port));
  const answers = await inTurns([...urls, ...malformedUrls], (url) =>
    askForRender(`${service.origin}/api/v1/screenshot`, key, { url }),
  );
  await service.stop();
  const refused = answers.filter(isRefusal).length;
  return {
    what: 'a non-public address as `url`, in every spelling, and both ends of every special-purpose block',
    seen: `${refused} of ${answers.length} refused with 422`,
    holds: refused === answers.length && deniedUrls.length >= 150,
  };
};

/** Ways to write the address of the twin, of which each must lead there. */
const allowedSpellings = [
  '127.2',
  '127.0.2',
  '0x7f.2',
  '0x7f000002',
  '2130706434',
  '017700000002',
  '0177.0.0.02',
  '127.0.0.2.',
  '１２７.０.０.２',
  '127。0。0。2',
  '%31%32%37.0.0.2',
  '[::ffff:127.0.0.2]',
  '[::ffff:7f00:2]',
];

const spelledInPage: Attack = async ({ shoot, site, twin, canaries }) => {
  const { port } = canaries;
  const asImages = (urls: string[]) =>
    urls.map((url) => `<img src="${url.replaceAll('"', '%22')}">`).join('\n');
  const spelled = [...deniedUrls, ...malformedUrls].map((url) => atPort(url, port));
  const denied = await shoot(site.route('/spelled', green + asImages(spelled)));
  const open = allowedSpellings.map((host, index) => `http://${host}:${port}/spelled-${index}`);
  await shoot(site.route('/spelled-open', green + asImages(open)));
  const bitten = open.filter((_, index) => twin.seen.includes(`GET /spelled-${index}`)).length;
  return {
    what: 'the same spellings as pictures in a page',
    seen: `${spelled.length} spellings, the page is drawn (${denied.status}); of ${open.length} spellings of an allowed address ${bitten} arrived`,
    holds: denied.status === 200 && bitten === open.length,
  };
};

const spelledRedirect: Attack = async ({ shoot, site, canaries }, size) => {
  const urls = deniedUrls.map((url) => atPort(url, canaries.port));
  const some = size === 'long' ? urls : urls.filter((_, index) => index % 16 === 0);
  const answers = await inTurns(some, (url) => {
    const path = `/to/${encodeURIComponent(url)}`;
    // A header holds bytes alone: what is beyond them is sent as UTF-8.
    const location = Buffer.from(url).toString('latin1');
    return shoot(site.route(path, (_, response) => void response.writeHead(302, { location }).end()));
  });
  const failed = answers.filter(isFailure).length;
  return {
    what: 'the same spellings behind a redirect',
    seen: `${failed} of ${answers.length} answered 502`,
    holds: failed === answers.length,
  };
};

const names: Attack = async ({ shoot, site, twin, canaries }) => {
  const at = (name: string) => `http://${name}:${canaries.port}`;
  const kinds = ['private', 'private6', 'mixed', 'mixed6'];
  const asUrl = await inTurns(kinds, (kind) => shoot(`${at(`url.${kind}.test`)}/`));
  const [behindRedirect, rebound, allowed] = await Promise.all([
    inTurns(kinds, (kind) =>
      shoot(site.route(`/${kind}`, moves['answer 302']!(`${at(`moved.${kind}.test`)}/`))),
    ),
    // The look-up for the request finds an allowed address, that of the proxy the canary.
    inTurns(['a', 'b', 'c'], (label) => shoot(`${at(`${label}.rebound.test`)}/`)),
    shoot(`${at('url.allowed.test')}/by-name`),
  ]);
  // In the page a name is looked up once: the first time it is allowed, and so it stays, whatever the name says later.
  const again = Array.from(
    { length: 5 },
    (_, index) =>
      `await fetch('${at('page.rebound.test')}/again-${index}', { mode: 'no-cors' }).catch(() => {});`,
  );
  const images = kinds.map((kind) => `<img src="${at(`page.${kind}.test`)}/">`).join('');
  const inPage = await shoot(
    site.route('/names', `${green}${images}<script type="module">${again.join('')}</script>`),
  );
  const bitten = twin.seen.filter((line) => line.startsWith('GET /again-')).length;
  const isByName = twin.seen.includes('GET /by-name');
  const [refused, failed] = [
    asUrl.filter(isRefusal).length,
    [...behindRedirect, ...rebound].filter(isFailure).length,
  ];
  return {
    what: 'names that resolve to a private address, to a mixture, or to another one at the second look-up',
    seen: `as \`url\` ${refused} of ${kinds.length} refused with 422; behind redirects, and changed between two look-ups: ${failed} of ${kinds.length + 3} answered 502; in a page: drawn (${inPage.status}), the changed name reached its first address ${bitten} of 5 times`,
    holds:
      refused === kinds.length &&
      failed === kinds.length + 3 &&
      inPage.status === 200 &&
      bitten === 5 &&
      isByName &&
      allowed.status === 200,
  };
};

const movedMainFrame: Attack = async ({ shoot, site, twin, canaries }, size) => {
  const { port } = canaries;
  const targets = [`http://127.0.0.1:${port}`, `http://[::1]:${port}`, `https://127.0.0.1:${port}`];
  const some = size === 'long' ? targets : targets.slice(0, 1);
  const rows = Object.entries(moves);
  const attempts = rows.flatMap(([, move], row) =>
    some.map((target, index) => ({ path: `/move-${row}-${index}`, route: move(`${target}/`) })),
  );
  const answers = await inTurns(attempts, ({ path, route }) => shoot(site.route(path, route)));
  const failed = answers.filter(isFailure).length;
  await inTurns([...rows.entries()], ([row, [, move]]) =>
    shoot(site.route(`/moves-${row}`, move(`${twin.base}/moved-${row}`))),
  );
  const bitten = rows.filter((_, row) =>
    twin.seen.some((line) => line.split(/[ ?]/)[1] === `/moved-${row}`),
  ).length;
  return {
    what: `the page itself led elsewhere: ${rows.map(([name]) => name).join(', ')}`,
    seen: `${failed} of ${answers.length} answered 502; to an allowed server ${bitten} of ${rows.length} moved`,
    holds: failed === answers.length && bitten === rows.length,
  };
};

const everyWay: Attack = async ({ shoot, site, twin, canaries }, size) => {
  const { port } = canaries;
  const targets = [
    `http://127.0.0.1:${port}`,
    `http://[::1]:${port}`,
    `https://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://ways.private.test:${port}`,
    `http://ways.mixed.test:${port}`,
  ];
  const some = size === 'long' ? targets : targets.slice(0, 2);
  const [, ...answers] = await inTurns([twin.base, ...some], (target, index) =>
    shoot(site.route(`/ways-${index}`, pageOfWays(target))),
  );
  const arrived = new Set(twin.seen.map((line) => line.split(/[ ?]/)[1]!.slice(1)));
  const untried = Object.keys(ways).filter((name) => !arrived.has(name));
  const drawn = answers.filter(({ status }) => status === 200).length;
  return {
    what: `every way to load something: ${Object.keys(ways).join(', ')}`,
    seen: `${Object.keys(ways).length} ways at ${some.length} addresses, ${drawn} pages drawn; at an allowed server ${untried.length === 0 ? 'all' : `all but ${untried.join(', ')}`} arrived`,
    holds: drawn === some.length && untried.length === 0,
  };
};

const peers: Attack = async ({ shoot, site, canaries }) => {
  const hosts = [`127.0.0.1:${canaries.port}`, `[::1]:${canaries.port}`];
  const script = hosts
    .map(
      (host) => `{
        const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }, { urls: ['turn:${host}', 'turn:${host}?transport=tcp', 'turns:${host}?transport=tcp'], username: 'a', credential: 'b' }] });
        peer.createDataChannel('x');
        peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        try { new WebTransport('https://${host}/').ready.catch(() => {}) } catch {}
      }`,
    )
    .join('\n');
  const { status } = await shoot(
    site.route('/peers', `${green}<script>${script}</script><img src="/delay"><img src="/delay?2">`),
  );
  const leaks = await packetsWithoutFlags();
  return {
    what: 'WebRTC with STUN and TURN (UDP, TCP, TLS), and WebTransport',
    seen: `the page is drawn (${status}); a Chromium without the flags against it sent ${leaks} packets`,
    holds: status === 200 && leaks > 0,
  };
};

async function packetsWithoutFlags(): Promise<number> {
  const chromium = await findChromium({ explicitPath: undefined, searchPath: '', cacheFolder });
  const leaky = await launchChromium({
    chromium,
    fontsFile: await installFonts(cacheFolder),
    user: browserUser(),
    sandboxed: true,
    withoutFlags: [
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    ],
  });
  try {
    return (await testWall(leaky)).leaks.udp;
  } finally {
    await leaky.close();
  }
}

const popups: Attack = async ({ shoot, site, twin, canaries }) => {
  const tryAll = (target: string) =>
    `${green}<a id="a" target="_blank" href="${target}/popup-link">x</a><form id="f" target="_blank" action="${target}/popup-form"></form>` +
    `<script>open('${target}/popup'); a.click(); f.submit()</script><img src="/delay">`;
  const [denied, open] = await inTurns([`http://127.0.0.1:${canaries.port}`, twin.base], (target, index) =>
    shoot(site.route(`/popups-${index}`, tryAll(target))),
  );
  const opened = twin.seen.filter((line) => line.startsWith('GET /popup')).length;
  return {
    what: 'popups by script, link and form',
    seen: `the pages are drawn (${denied!.status}, ${open!.status}), and no popup is opened, not even to an allowed server (${opened})`,
    holds: denied!.status === 200 && open!.status === 200 && opened === 0,
  };
};

const schemes: Attack = async ({ shoot, site }) => {
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
      // What a page writes into a data: address is its own; only the main frame may not go there.
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

const ownPorts: Attack = async ({ shoot, service }) => {
  const members = browsers().flatMap(({ group }) => groupMembers(group));
  const ofBrowser = listeningPorts(members.map(({ pid }) => pid));
  const ofService = listeningPorts([process.pid]);
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

const downloads: Attack = async ({ shoot, site }) => {
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

const attacks: Attack[] = [
  spelledUrl,
  spelledInPage,
  spelledRedirect,
  names,
  movedMainFrame,
  everyWay,
  peers,
  popups,
  schemes,
  ownPorts,
  downloads,
];

const isRefusal = ({ status, code, message }: RenderAnswer): boolean =>
  status === 422 && code === 'validation_error' && message.startsWith('url: ');

/** The client is not told how the wall is built. */
const isFailure = ({ status, code, message }: RenderAnswer): boolean =>
  status === 502 && code === 'capture_failed' && !/proxy|door|egress|chromium/i.test(message);

/** Four at a time, as many as the machine renders at once: nobody waits in line. */
async function inTurns<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const [index, item] of queue) results[index] = await work(item, index);
    }),
  );
  return results;
}
