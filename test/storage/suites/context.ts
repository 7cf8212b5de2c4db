// What a suite is given: a database of the engine at hand, and ways to more of them.
import assert from 'node:assert/strict';
import type { Database } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';

export interface SuiteContext {
  /** The database that the whole suite shares. */
  database: () => Database;
  /** The same database a second time, as another process has it. */
  openAgain: () => Promise<Database>;
  openEmpty: () => Promise<Database>;
  newAccount: (change?: Partial<AccountRow>) => Promise<AccountRow>;
}

/** Engines differ in the prototype of their rows, which nobody looks at. */
export const same = (actual: unknown, expected: unknown): void =>
  assert.deepEqual(structuredClone(actual), expected);
