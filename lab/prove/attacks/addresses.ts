// Attacks by the address: spellings of addresses that are not public, and names that resolve to them.
import { type Attack, green, inTurns, isFailure, isRefusal } from '#lab/prove/attacks/stage.ts';
import { moves } from '#lab/prove/attacks/ways.ts';
import { askForRender } from '#lab/prove/renderer.ts';
import { deniedUrls, malformedUrls, specialBlocks } from '#test/support/address-table.ts';
import { startService } from '#test/support/service.ts';

/** Every spelling leads to the canary's port, unless it names an impossible port. */
const atPort = (url: string, port: number): string =>
  url.replace(/^(https?:\/\/(?:\[[^\]]*\]|[^/:?#]*))(?::[1-9]\d*)?(?=[/?#]|$)/i, `$1:${port}`);

/** Sent to a service without exceptions, as by default: a listed address also opens the private names that resolve to it. */
export const spelledUrl: Attack = async ({ canaries }) => {
  // Nothing answers there: what is looked up is not refused.
  const service = await startService({ LOG_LEVEL: 'silent' }, 0, ['127.0.0.1:1']);
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

/** Spellings of the address of the allowed server; each must lead there. */
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

export const spelledInPage: Attack = async ({ shoot, site, twin, canaries }) => {
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

export const spelledRedirect: Attack = async ({ shoot, site, canaries }, size) => {
  const urls = deniedUrls.map((url) => atPort(url, canaries.port));
  const some = size === 'long' ? urls : urls.filter((_, index) => index % 16 === 0);
  const answers = await inTurns(some, (url) => {
    const path = `/to/${encodeURIComponent(url)}`;
    // A header holds only bytes, so other characters are sent as UTF-8.
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

export const names: Attack = async ({ shoot, site, twin, canaries }) => {
  const at = (name: string) => `http://${name}:${canaries.port}`;
  const kinds = ['private', 'private6', 'mixed', 'mixed6'];
  const asUrl = await inTurns(kinds, (kind) => shoot(`${at(`url.${kind}.test`)}/`));
  const [behindRedirect, rebound, allowed] = await Promise.all([
    inTurns(kinds, (kind) =>
      shoot(site.route(`/${kind}`, moves['answer 302']!(`${at(`moved.${kind}.test`)}/`))),
    ),
    // The look-up for the request returns an allowed address, the proxy's look-up returns the canary.
    inTurns(['a', 'b', 'c'], (label) => shoot(`${at(`${label}.rebound.test`)}/`)),
    shoot(`${at('url.allowed.test')}/by-name`),
  ]);
  // In the page a name is looked up once: the first time it is allowed, and that result is kept even if the name changes later.
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
