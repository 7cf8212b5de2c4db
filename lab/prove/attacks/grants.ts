// Attacks on a private host that the owner has granted to another account.
import { type Attack, inTurns } from '#lab/prove/attacks/stage.ts';
import { askForRender } from '#lab/prove/renderer.ts';
import { startPageServer } from '#test/support/page-server.ts';

export const borrowedGrant: Attack = async ({ service, render, site }) => {
  const wiki = await startPageServer({ '/own': '<!doctype html><p>own' }, { address: '127.0.0.3' });
  try {
    const holder = await service.newKey();
    await service.accounts.update(holder.email, { allowedHosts: wiki.host });
    const asHolder = () =>
      askForRender(`${service.origin}/api/v2/renders`, holder.key, { url: `${wiki.base}/own` });
    site.route(
      '/borrowed',
      (_, response) => void response.writeHead(302, { location: `${wiki.base}/stolen` }).end(),
    );
    const page = `<!doctype html><img src="${wiki.base}/stolen"><iframe src="${wiki.base}/stolen"></iframe><script>fetch('${wiki.base}/stolen', { mode: 'no-cors' }); new WebSocket('ws://${wiki.host}/stolen')</script>`;
    const attempts: object[] = [
      { url: `${wiki.base}/stolen` },
      { url: `${site.base}/borrowed` },
      { html: page },
      { html: page, base_url: `${site.base}/document` },
      { html: page, base_url: `${wiki.base}/stolen` },
    ];
    // Before, between and after the renders of the account that may: they use the same workers in turn.
    const rounds = [...attempts, ...attempts];
    const own: number[] = [];
    await inTurns(rounds, async (attempt, index) => {
      if (index % 2 === 0) own.push((await asHolder()).status);
      await render(attempt);
    });
    const stolen = wiki.seen.filter((line) => line.includes('/stolen')).length;
    const isServed = own.every((status) => status === 200);
    return {
      what: 'a private host granted to another account: as a target, by a redirect, from documents, while that account renders it',
      seen: `${own.length} renders of its own account answered 200: ${isServed}; ${rounds.length} renders of another reached it ${stolen} times`,
      holds: isServed && stolen === 0,
    };
  } finally {
    await wiki.close();
  }
};
