// The clock is set forward past the end of a minute and of a month, and back again: budgets refill and quotas reset when they
// should and never otherwise. In one process, whose clock the proof controls. Spec 8.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '#lab/prove/proof.ts';
import { upload } from '#lab/prove/faults/requests.ts';
import { nextMonth } from '#metering/quota.ts';
import * as images from '#test/support/images.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { endless } from '#test/support/product.ts';
import { booksOf } from '#test/support/books.ts';
import { startService } from '#test/support/service.ts';

const hourMs = 60 * 60 * 1000;

export async function stepTheClock(): Promise<Finding[]> {
  const folder = await temporaryFolder();
  const plansFile = join(folder.path, 'plans.json');
  const slow = { ...endless, id: 'slow', requests_per_minute: 3 };
  const few = { ...endless, id: 'few', uploads_per_month: 2, overages: false };
  await writeFile(plansFile, JSON.stringify({ plans: [slow, few] }));
  const service = await startService({ PLANS_FILE: plansFile, LOG_LEVEL: 'silent' });
  try {
    const picture = await images.png();
    const { clock, origin } = service;
    const sendWith = async (key: string) => {
      const answer = await upload(origin, key, picture);
      if (answer === 'lost') throw new Error('the service is gone');
      return {
        status: answer.status,
        reset: Number(answer.headers.get('x-service-ratelimit-reset')),
        slug: answer.body.slug,
      };
    };
    const statuses = async (key: string, count: number): Promise<string> => {
      const seen: number[] = [];
      for (let sent = 0; sent < count; sent += 1) seen.push((await sendWith(key)).status);
      return seen.join(' ');
    };

    const { key: slowKey } = await service.newKey({ plan: 'slow' });
    const minute = [await statuses(slowKey, 4)];
    await clock.advance(59_000);
    minute.push(await statuses(slowKey, 1));
    await clock.advance(2_000);
    minute.push(await statuses(slowKey, 4));
    await clock.advance(-hourMs);
    const { status, reset } = await sendWith(slowKey);
    minute.push(`${status}, reset ${reset <= 60 ? 'within a minute' : `after ${reset} s`}`);
    await clock.advance(hourMs);

    const { key: fewKey, accountId } = await service.newKey({ plan: 'few' });
    const month = [await statuses(fewKey, 3)];
    const before = await booksOf(service, accountId);
    // Ten seconds from the end: real time continues meanwhile.
    await clock.advance(nextMonth(clock.now()).getTime() - clock.now() - 10_000);
    month.push(await statuses(fewKey, 1));
    await clock.advance(10_000);
    month.push(await statuses(fewKey, 3));
    const after = await booksOf(service, accountId);
    await clock.advance(-20_000);
    month.push(await statuses(fewKey, 1));
    const back = await booksOf(service, accountId);
    const agree = [before, after, back].every(
      ({ counter, ledger }) => counter.used === 2 && ledger.used === 2,
    );
    return [
      {
        what: 'The clock stepped over a minute, and an hour back: the budget of 3 refills once, and never takes longer than a minute',
        seen: minute.join(' | '),
        holds: minute.join('|') === '201 201 201 429|429|201 201 201 429|201, reset within a minute',
      },
      {
        what: 'The clock stepped over a month, and back: the quota of 2 turns over with it, and each month’s counter equals its ledger',
        seen: `${month.join(' | ')}; ${agree ? 'the books of both months agree' : JSON.stringify({ before, after, back })}`,
        holds: month.join('|') === '201 201 402|402|201 201 402|402' && agree,
      },
    ];
  } finally {
    await service.stop();
    await folder.remove();
  }
}
