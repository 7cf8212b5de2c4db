// Attacks by a document that comes with the request: version 2. It has an address of its own, or that of `base_url`.
import { type Attack, inTurns } from '#lab/prove/attacks/stage.ts';
import { moves, pageOfWays, ways } from '#lab/prove/attacks/ways.ts';

export const documents: Attack = async ({ render, site, twin, canaries }) => {
  const canary = `http://127.0.0.1:${canaries.port}`;
  const own = `${site.base}/document`;
  const seenBefore = twin.seen.length;
  // Without an address there are no redirects, no report and no service worker, whose script would be a file.
  const [open, denied, homeless] = await inTurns(
    [
      { html: pageOfWays(twin.base), base_url: own },
      { html: pageOfWays(canary), base_url: own },
      { html: pageOfWays(canary) },
    ],
    render,
  );
  const arrived = new Set(twin.seen.slice(seenBefore).map((line) => line.split(/[ ?]/)[1]!.slice(1)));
  const untried = Object.keys(ways).filter((name) => !arrived.has(name));
  const moved = Object.values(moves)
    .map((move) => move(`${canary}/`))
    .filter((page) => typeof page === 'string');
  const left = await inTurns([{ base_url: own }, {}], (address, index) =>
    render({ html: moved[index]!, ...address }),
  );
  const bases = [
    canary,
    `http://[::1]:${canaries.port}/`,
    'http://169.254.169.254/',
    'file:///etc/',
    'http://localhost/',
  ];
  const refused = await inTurns(bases, (base) => render({ html: '<img src="x">', base_url: base }));
  const isDrawn = [open, denied, homeless].every((answer) => answer!.status === 200);
  const isLeft = left.every(({ status, code }) => status === 502 && code === 'render_failed');
  const isRefused = refused.every(
    ({ status, message }) => status === 422 && message.startsWith('base_url: '),
  );
  return {
    what: 'a document of the request, with and without `base_url`: every way to load something, moves, and a `base_url` that is not public',
    seen: `pages drawn: ${isDrawn}; at an allowed server ${untried.length === 0 ? 'all' : `all but ${untried.join(', ')}`} arrived; moves answered 502: ${isLeft}; ${refused.length} base URLs refused: ${isRefused}`,
    holds: isDrawn && untried.length === 0 && isLeft && isRefused,
  };
};
