// Attacks by pages: one account renders them repeatedly.
import { flood, type Attack } from '#lab/prove/neighbours/attack.ts';
import { pageRows } from '#lab/prove/neighbours/page-rows.ts';
import { serverRoutes, serverRows } from '#lab/prove/neighbours/server-rows.ts';
import { shoot } from '#lab/prove/neighbours/target.ts';
import type { Route } from '#test/support/page-server.ts';

const rows = [...pageRows, ...serverRows];
const usualAtOnce = 8;

export const hostileRoutes: Record<string, Route> = {
  ...Object.fromEntries(rows.map(({ path, page }) => [path, page])),
  ...serverRoutes,
};

export const pageAttacks: Attack[] = [
  ...rows.map(({ name, resource, path, body, endpoint, atOnce = usualAtOnce }): Attack => ({
    name,
    resource,
    isByPages: true,
    run(target, isOver) {
      let count = 0;
      return flood(isOver, atOnce, async (_, signal) => {
        count += 1;
        const answer = await shoot(target, `${target.pages}${path}?${count}`, { signal }, body, endpoint);
        await answer.body?.cancel();
      });
    },
  })),
  {
    name: 'replays of a picture of noise that nobody reads',
    resource: 'memory',
    isByPages: true,
    run: (target, isOver) =>
      flood(isOver, usualAtOnce, async (_, signal) => {
        const answer = await shoot(
          target,
          `${target.pages}/noise`,
          { signal, headers: { 'idempotency-key': 'replayed' } },
          { width: 3840, height: 2160 },
        );
        // Requested and abandoned: the next request uses another connection.
        if (!answer.ok) await answer.body?.cancel();
        else void setTimeout(() => void answer.body?.cancel().catch(() => {}), 2_000);
      }),
  },
];
