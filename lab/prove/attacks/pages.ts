// Attacks by the page: what navigates its main frame elsewhere, what it loads, what it connects to, and which windows it opens.
import { testWall } from '#browser/worker/wall-test.ts';
import { type Attack, green, inTurns, isFailure } from '#lab/prove/attacks/stage.ts';
import { moves, pageOfWays, ways } from '#lab/prove/attacks/ways.ts';
import { launchBareChromium } from '#test/support/bare-chromium.ts';

export const movedMainFrame: Attack = async ({ shoot, site, twin, canaries }, size) => {
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

export const everyWay: Attack = async ({ shoot, site, twin, canaries }, size) => {
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

export const peers: Attack = async ({ shoot, site, canaries }) => {
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
  const leaky = await launchBareChromium({
    without: [
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

export const popups: Attack = async ({ shoot, site, twin, canaries }) => {
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
