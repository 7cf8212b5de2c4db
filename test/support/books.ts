// The two books of an account, which must always agree: the counter and the sum of the ledger.
import { monthOf } from '#metering/quota.ts';
import type { TestService } from '#test/support/service.ts';

export async function booksOf(
  { database, clock }: Pick<TestService, 'database' | 'clock'>,
  accountId: string,
) {
  const month = monthOf(clock.now());
  const { usage } = database.tables;
  return {
    counter: { ...(await usage.read(accountId, 'upload', month)) },
    ledger: { ...(await usage.sumOfLedger(accountId, 'upload', month)) },
  };
}
