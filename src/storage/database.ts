// The database behind one interface: typed tables, transactions, and a stamp that tells when another process has written.
import type { Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';
import { createOwned, type Owned } from '#storage/owned/owned.ts';
import { createAccountsTable, type AccountsTable } from '#storage/tables/accounts.ts';
import { createApiKeysTable, type ApiKeysTable } from '#storage/tables/api-keys.ts';
import type { ChoresTable } from '#storage/tables/chores.ts';
import { createIdempotencyTable, type IdempotencyTable } from '#storage/tables/idempotency.ts';
import { createRenderLeasesTable, type RenderLeasesTable } from '#storage/tables/render-leases.ts';
import { createRendersTable, type RendersTable } from '#storage/tables/renders.ts';
import type { RequestWindowsTable } from '#storage/tables/request-windows.ts';
import { createAuditLogTable, type AuditLogTable } from '#storage/tables/audit-log.ts';
import { createPeopleTable, type PeopleTable } from '#storage/tables/people.ts';
import { createRequestLogTable, type RequestLogTable } from '#storage/tables/request-log.ts';
import { createSettingsTable, type SettingsTable } from '#storage/tables/settings.ts';
import { createUploadsTable, type UploadsTable } from '#storage/tables/uploads.ts';
import { createUsageTable, type UsageTable } from '#storage/tables/usage.ts';

export interface Tables {
  accounts: AccountsTable;
  apiKeys: ApiKeysTable;
  uploads: UploadsTable;
  renders: RendersTable;
  renderLeases: RenderLeasesTable;
  idempotency: IdempotencyTable;
  usage: UsageTable;
  people: PeopleTable;
  requestLog: RequestLogTable;
  auditLog: AuditLogTable;
  settings: SettingsTable;
  /** The rows of one account and no others. */
  ownedBy(accountId: string): Owned;
}

/** The database went away during a commit: whether it happened is not known, so nothing may be undone. */
export class UnknownOutcomeError extends Error {}

interface TransactionOptions {
  /** `relaxed`: may be lost in a power cut, so it skips fsync. Other transactions still see it. */
  durability?: 'full' | 'relaxed';
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  readonly tables: Tables;
  /** The connection itself, for better-auth, which brings its own queries. */
  readonly connection: Kysely<Schema>;
  /** Where many machines share the database, it counts the requests of accounts too. */
  readonly requestWindows?: RequestWindowsTable;
  /** And it decides which of them does a chore. */
  readonly chores?: ChoresTable;
  /** Runs `work` on tables that commit together, or not at all when it throws; but see UnknownOutcomeError. */
  transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * A number that changes whenever another process has committed anything; undefined where the engine cannot tell
   * without a round trip, and then nothing read earlier may be trusted.
   */
  changeStamp(): number | undefined;
  /**
   * How far the database's clock is ahead of this machine's. Machines that share a database also share its clock: leases, locks
   * and expiry do not depend on how well theirs are set.
   */
  aheadMs(): number;
  /** Rejects when the database does not answer. Measures `aheadMs` as well. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export function createTables(db: Kysely<Schema>): Tables {
  return {
    accounts: createAccountsTable(db),
    apiKeys: createApiKeysTable(db),
    uploads: createUploadsTable(db),
    renders: createRendersTable(db),
    renderLeases: createRenderLeasesTable(db),
    idempotency: createIdempotencyTable(db),
    usage: createUsageTable(db),
    people: createPeopleTable(db),
    requestLog: createRequestLogTable(db),
    auditLog: createAuditLogTable(db),
    settings: createSettingsTable(db),
    ownedBy: (accountId) => createOwned(db, accountId),
  };
}
