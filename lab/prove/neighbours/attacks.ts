// What one account may do to everything that it shares with others. Each attack runs until `isOver`, and counts its attempts.
// Adding an attack is adding a row.
import { flood, type Attack } from '#lab/prove/neighbours/attack.ts';
import { connectionAttacks } from '#lab/prove/neighbours/connection-attacks.ts';
import { pageAttacks } from '#lab/prove/neighbours/page-attacks.ts';
import { atDashboard, shoot, type Target } from '#lab/prove/neighbours/target.ts';
import { pngOfSize } from '#test/support/images.ts';
import { formOf, bearer } from '#test/support/requests.ts';

const read = async (answer: Promise<Response>): Promise<void> => void (await (await answer).arrayBuffer());

const post = (
  { origin, account }: Target,
  path: '' | '/batch',
  files: [Buffer, string][],
  signal: AbortSignal,
): Promise<Response> =>
  fetch(`${origin}/api/v1/upload${path}`, {
    method: 'POST',
    headers: bearer(account.key),
    body: formOf(files),
    signal,
  });

const upload = (...given: Parameters<typeof post>): Promise<void> => read(post(...given));

/** Each is tried once. */
let hostile = 0;

let large: Promise<Buffer> | undefined;
const largePicture = (): Promise<Buffer> => (large ??= pngOfSize(9_000_000));

const heavySvg = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg"><animate attributeName="fill" values="${'rgb(1,2,3);'.repeat(180_000)}"/></svg>`,
);

const requestAttacks: Attack[] = [
  {
    name: 'batches of SVGs that take long to sanitize',
    resource: 'SVG workers',
    run: (target, isOver) =>
      flood(isOver, 3, (_, signal) =>
        upload(
          target,
          '/batch',
          Array.from({ length: 10 }, () => [heavySvg, 'a.svg']),
          signal,
        ),
      ),
  },
  {
    name: 'variants of hostile pictures',
    resource: 'decoders of pictures',
    // Takes half a second, which the other attacks do not need.
    prepare: () => import('#test/support/hostile-pictures.ts'),
    async run(target, isOver) {
      const { hostilePicture } = await import('#test/support/hostile-pictures.ts');
      return await flood(isOver, 8, async (index, signal) => {
        const bytes = await hostilePicture((hostile += 1));
        const answer = await post(target, '', [[bytes, 'a']], signal);
        const { slug } = (await answer.json()) as { slug?: string };
        if (slug !== undefined)
          await read(
            fetch(`${target.origin}/f/${slug}?width=2560&format=${['webp', 'png'][index % 2]}`, { signal }),
          );
      });
    },
  },
  {
    name: 'repeats of a running Idempotency-Key that hang up',
    resource: 'idempotency waiters',
    run: (target, isOver) =>
      flood(isOver, 40, (index, signal) =>
        read(
          shoot(target, `${target.pages}/never`, {
            headers: { 'idempotency-key': `waiter ${index % 2}` },
            signal: AbortSignal.any([signal, AbortSignal.timeout(500)]),
          }),
        ),
      ),
  },
  {
    name: 'listings and searches at the dashboard',
    resource: 'database',
    run: (target, isOver) =>
      flood(isOver, 8, (index, signal) =>
        read(
          atDashboard(target, ['/uploads?q=a', '/requests', '/usage', '/overview'][index % 4]!, { signal }),
        ),
      ),
  },
  {
    name: 'exports that are broken off',
    resource: 'database and disk',
    run: (target, isOver) =>
      flood(isOver, 8, async (_, signal) => {
        const answer = await atDashboard(target, '/export', { signal });
        const reader = answer.body?.getReader();
        await reader?.read();
        await reader?.cancel();
      }),
  },
  {
    name: 'wrong passwords and forgotten ones',
    resource: 'passwords and mail',
    run: (target, isOver) =>
      flood(isOver, 8, (index, signal) =>
        read(
          atDashboard(target, index % 2 === 0 ? '/sign-in' : '/forgot-password', {
            method: 'POST',
            body: JSON.stringify({ email: `nobody${index}@example.com`, password: 'a wrong password' }),
            signal,
          }),
        ),
      ),
  },
  {
    name: 'uploads as fast as they go',
    resource: 'group commit',
    run: (target, isOver) =>
      flood(isOver, 16, (index, signal) => {
        const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><g id="a${index}"/></svg>`);
        return upload(target, '', [[svg, 'a.svg']], signal);
      }),
  },
  {
    name: 'uploads of 9 MB as fast as they go',
    resource: 'disk',
    prepare: largePicture,
    async run(target, isOver) {
      const png = await largePicture();
      return await flood(isOver, 16, (_, signal) => upload(target, '', [[png, 'a.png']], signal));
    },
  },
];

/** Those by pages first: memory that the others took would count for them too. */
export const attacks: Attack[] = [...pageAttacks, ...connectionAttacks, ...requestAttacks];
