// The counter of an account and the sum of its ledger, which must always agree.
import { monthOf } from '#metering/quota.ts';
import type { TestService } from '#test/support/service.ts';

export async function booksOf(
  { database, clock }: Pick<TestService, 'database' | 'clock'>,
  accountId: string,
) {
  const counter = { accountId, unit: 'upload', month: monthOf(clock.now()) } as const;
  const { usage } = database.tables;
  return {
    counter: { ...(await usage.read(counter)) },
    ledger: { ...(await usage.sumOfLedger(counter)) },
  };
}
