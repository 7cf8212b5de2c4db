// Proof: accounts on several plans request twenty times the renders that the machine can make. They share fairly, none waits
// beyond the limit, every response follows the contract, and counters and ledger agree afterwards. Spec 7, 8.
import type { Plan } from '#accounts/plans.ts';
import { errorTable } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { Finding, Proof, Size } from '#lab/prove/proof.ts';
import {
  endlessPlan,
  type RenderAnswer,
  type Renderer,
  seconds,
  startRenderer,
} from '#lab/prove/renderer.ts';
import { startPageServer } from '#test/support/page-server.ts';

const times = 20;
/** Pictures and refusals; a minute is long enough for budgets and quotas to run out too. */
const leastKinds = { short: 2, long: 3 };
const offeredMs = { short: 4_000, long: 60_000 };
/** Shares can be compared once each account could have this many; on a busy machine the load lasts until then. */
const leastEach = 4;
const mostOfferedMs = 120_000;
const measureMs = { short: 1_000, long: 10_000 };
/** Concurrent renders of the plans, two accounts on each. In the long form the longest queues take longer than the allowed wait. */
const caps = { short: [2, 2, 4, 4, 8, 8], long: [3, 3, 10, 10, 60, 60] };
/** And one whose quota and budget end soon. */
const small = {
  ...endlessPlan,
  id: 'small',
  overages: false,
  renders_per_month: 3,
  requests_per_minute: 200,
  concurrent_renders: 1,
};
/** The accounts that share have no limit per minute, so that only their share of the machine is seen. */
const plansOf = (size: Size): Plan[] => [
  ...caps[size].map((cap) => ({ ...endlessPlan, id: `concurrent-${cap}`, concurrent_renders: cap })),
  small,
];
const leastIndex = { short: 0.8, long: 0.95 };

export const overloadProof: Proof = {
  name: 'overload',
  title: 'Overload: twenty times the capacity, offered by accounts on several plans',
  async run(size, say) {
    const site = await startPageServer();
    const renderer = await startRenderer({ allow: [site.host], plans: plansOf(size) });
    try {
      const url = `${site.base}/article.html`;
      // Each account gets its worker first, as in a service that has been running for a while: starts are not measured here.
      await Promise.all(renderer.accounts.map((_, account) => renderer.shoot(url, { account })));
      const perSecond = await capacity(renderer, url, size);
      say(`${perSecond.toFixed(1)} renders a second are made; ${(perSecond * times).toFixed(0)} are offered`);
      const usedBefore = await renderer.books();
      const { answers, lastedMs } = await offer(renderer, url, perSecond * times, size, say);
      const after = await renderer.shoot(url);
      return [
        ...findingsOf(answers, lastedMs, perSecond, size),
        ...(await findingsOnBooks(renderer, usedBefore, answers, after)),
      ];
    } finally {
      await renderer.stop();
      await site.close();
    }
  },
};

/** What the machine makes with a queue that is never empty and never long. */
async function capacity(renderer: Renderer, url: string, size: Size): Promise<number> {
  const measure = async (ms: number) => {
    const startedAt = performance.now();
    let made = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (performance.now() - startedAt < ms) {
          await renderer.shoot(url, { account: 4 });
          made += 1;
        }
      }),
    );
    return (made * 1_000) / (performance.now() - startedAt);
  };
  await measure(measureMs.short);
  return measure(measureMs[size]);
}

type AccountAnswer = RenderAnswer & { account: number; answeredAtMs: number };

/** An even stream of requests, from all accounts equally, regardless of earlier responses. */
async function offer(
  renderer: Renderer,
  url: string,
  perSecond: number,
  size: Size,
  say: (line: string) => void,
): Promise<{ answers: AccountAnswer[]; lastedMs: number }> {
  const asked: Promise<AccountAnswer>[] = [];
  const startedAt = performance.now();
  let toldAt = startedAt;
  let made = 0;
  let passedMs = 0;
  const isOver = () =>
    passedMs >= mostOfferedMs || (passedMs >= offeredMs[size] && made >= leastEach * caps[size].length);
  for (; !isOver(); passedMs = performance.now() - startedAt) {
    const due = Math.ceil((passedMs * perSecond) / 1_000);
    while (asked.length < due) {
      const account = asked.length % renderer.accounts.length;
      asked.push(
        renderer.shoot(url, { account }).then((answer) => {
          if (answer.status === 200) made += 1;
          return {
            ...answer,
            bytes: Buffer.alloc(0),
            account,
            answeredAtMs: performance.now() - startedAt,
          };
        }),
      );
    }
    if (performance.now() - toldAt > 20_000) {
      toldAt = performance.now();
      say(`${asked.length} requests offered`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { answers: await Promise.all(asked), lastedMs: passedMs };
}

function findingsOf(answers: AccountAnswer[], lastedMs: number, perSecond: number, size: Size): Finding[] {
  const made = answers.filter(({ status }) => status === 200);
  const codes = Map.groupBy(answers, ({ status, code }) => `${status} ${code}`);
  const outside = answers.filter((answer) => !isOfContract(answer));
  // Measured while the load lasts: afterwards the accounts with the longest queue have the machine to themselves.
  const during = made.filter(({ answeredAtMs }) => answeredAtMs <= lastedMs);
  const shares = caps[size].map((_, account) => during.filter((answer) => answer.account === account).length);
  const index = jainIndex(shares);
  const longestMs = Math.max(...answers.map(({ ms }) => ms));
  const longestQueueMs = Math.max(...made.map(queueMs));
  const sentAway = answers.filter(({ status, ms }) => status === 429 && ms >= limits.renderQueueMs).length;
  const mostMs = limits.renderQueueMs + limits.screenshotTotalMs;
  return [
    {
      what: `${times} times the capacity of ${perSecond.toFixed(1)} renders a second, for ${seconds(lastedMs)}: every answer is from the contract`,
      seen: `${answers.length} requests: ${[...codes].map(([code, list]) => `${list.length} x ${code}`).join(', ')}; ${outside.length} others`,
      holds: outside.length === 0 && made.length > 0 && codes.size >= leastKinds[size],
    },
    {
      what: 'accounts share fairly, whatever their plan',
      seen: `pictures made for accounts with caps of ${caps[size].join(', ')}: ${shares.join(', ')}; Jain index ${index.toFixed(3)} (1 is equal)`,
      holds: index >= leastIndex[size],
    },
    {
      what: `nobody waits beyond the limit of ${seconds(limits.renderQueueMs)} for a place`,
      seen: `${seconds(longestQueueMs)} at most; ${sentAway} were told to come back after ${seconds(limits.renderQueueMs)}; the slowest answer took ${seconds(longestMs)}`,
      holds: longestQueueMs <= limits.renderQueueMs + 500 && longestMs <= mostMs,
    },
  ];
}

async function findingsOnBooks(
  renderer: Renderer,
  before: { used: number }[],
  answers: AccountAnswer[],
  after: RenderAnswer,
): Promise<Finding[]> {
  const books = await renderer.books();
  const made = renderer.accounts.map(
    (_, account) => answers.filter((answer) => answer.account === account && answer.status === 200).length,
  );
  made[0]! += after.status === 200 ? 1 : 0;
  const off = books.filter(
    ({ used, ledger }, account) => used !== ledger || used - before[account]!.used !== made[account],
  );
  return [
    {
      what: 'afterwards a render is served, and every counter equals its ledger and the pictures that were answered',
      seen: `${after.status} after ${seconds(after.ms)}; ${off.length} of ${books.length} books off, ${books.reduce((sum, { used }) => sum + used, 0)} units in all`,
      holds: after.status === 200 && off.length === 0,
    },
  ];
}

/** Spec 7, 8: a picture, or an error that a render may have, with the headers that belong to it. */
function isOfContract({ status, code, headers, message }: RenderAnswer): boolean {
  const budget = ['limit', 'remaining', 'reset'].every((name) => headers.has(`x-service-ratelimit-${name}`));
  if (!budget) return false;
  if (status === 200) return code === 'image/png' && headers.has('x-service-quota-limit');
  const known = ['quota_exceeded', 'rate_limited', 'concurrency_limited', 'capture_failed'] as const;
  return (
    known.some((name) => name === code && errorTable[name].status === status) &&
    message !== '' &&
    (status !== 429 || Number(headers.get('retry-after')) >= 1) &&
    (status !== 402 || headers.get('x-service-quota-remaining') === '0')
  );
}

/** How long a render waited for its slot, as the service reports. */
function queueMs({ headers }: RenderAnswer): number {
  return Number(/queue;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '')?.[1] ?? Number.NaN);
}

function jainIndex(shares: number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
}
