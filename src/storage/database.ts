// The database behind one interface: typed tables, transactions, and a stamp that tells when another process has written.
import type { Kysely } from 'kysely';
import type { Schema } from '#storage/schema.ts';
import { createOwned, type Owned } from '#storage/owned/owned.ts';
import { createAccountsTable, type AccountsTable } from '#storage/tables/accounts.ts';
import { createApiKeysTable, type ApiKeysTable } from '#storage/tables/api-keys.ts';
import { createIdempotencyTable, type IdempotencyTable } from '#storage/tables/idempotency.ts';
import { createRenderLeasesTable, type RenderLeasesTable } from '#storage/tables/render-leases.ts';
import { createRendersTable, type RendersTable } from '#storage/tables/renders.ts';
import { createAuditLogTable, type AuditLogTable } from '#storage/tables/audit-log.ts';
import { createPeopleTable, type PeopleTable } from '#storage/tables/people.ts';
import { createRequestLogTable, type RequestLogTable } from '#storage/tables/request-log.ts';
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
  /** The rows of one account and no others. */
  ownedBy(accountId: string): Owned;
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  readonly tables: Tables;
  /** The connection itself, for better-auth, which brings its own queries. */
  readonly connection: Kysely<Schema>;
  /** Runs `work` on tables that commit together, or not at all when it throws. */
  transaction<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /**
   * A number that changes whenever another process has committed anything; undefined where the engine cannot tell
   * without a round trip, and then nothing read earlier may be trusted.
   */
  changeStamp(): number | undefined;
  /** Rejects when the database does not answer. */
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
    ownedBy: (accountId) => createOwned(db, accountId),
  };
}
