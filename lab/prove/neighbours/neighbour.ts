// The other account: it uploads, downloads, renders and opens the dashboard, one after the other, and records how long each took.
import { inspect } from 'node:util';
import { shoot, type Target, atDashboard } from '#lab/prove/neighbours/target.ts';
import { bearer, formOf } from '#test/support/requests.ts';

export const kinds = ['upload', 'download', 'dashboard', 'render'] as const;
export type Kind = (typeof kinds)[number];

export interface Seen {
  times: Record<Kind, number[]>;
  failures: string[];
}

export const nothingSeen = (): Seen => ({
  times: { upload: [], download: [], dashboard: [], render: [] },
  failures: [],
});

/** At least one round, and more until the time is over. */
export async function visit(target: Target, picture: Buffer, forMs: number, seen: Seen): Promise<void> {
  const endsAt = performance.now() + forMs;
  const steps: Record<Kind, () => Promise<Response>> = {
    upload: () =>
      fetch(`${target.origin}/api/v1/upload`, {
        method: 'POST',
        headers: bearer(target.account.key),
        body: formOf([[picture, 'a.png']]),
      }),
    download: () => fetch(`${target.origin}/f/${target.big.slug}`),
    dashboard: () => atDashboard(target, '/overview'),
    render: () => shoot(target, `${target.pages}/plain`),
  };
  do {
    for (const kind of kinds) {
      const startedAt = performance.now();
      try {
        const answer = await steps[kind]();
        const bytes = await answer.arrayBuffer();
        if (!answer.ok)
          seen.failures.push(`${kind}: ${answer.status} ${Buffer.from(bytes).toString().slice(0, 200)}`);
      } catch (error) {
        seen.failures.push(`${kind}: ${inspect(error)}`);
      }
      seen.times[kind].push(performance.now() - startedAt);
    }
  } while (performance.now() < endsAt);
}
