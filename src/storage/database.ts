// The interface of the database: typed tables, transactions, and a stamp that changes when another process has written.
// How tables/ and owned/ write SQL: with Kysely's builder, which checks names and types. A statement that the builder cannot express,
// or that is easier to read as SQL, is a template (sql`…`). Only insertRows, for rows of every upload or request, keeps its own text.
import type { Kysely } from 'kysely';
import type { Timings } from '#core/timings.ts';
import type { Schema } from '#storage/schema.ts';
import { createOwned } from '#storage/owned/owned.ts';
import { createAlbumsTable } from '#storage/tables/albums.ts';
import { createAccountsTable } from '#storage/tables/accounts.ts';
import { createApiKeysTable } from '#storage/tables/api-keys.ts';
import type { ChoresTable } from '#storage/tables/chores.ts';
import { createIdempotencyTable } from '#storage/tables/idempotency.ts';
import { createLinkKeysTable } from '#storage/tables/link-keys.ts';
import { createRenderFlightsTable } from '#storage/tables/render-flights.ts';
import { createRenderJobsTable } from '#storage/tables/render-jobs.ts';
import { createRenderLeasesTable } from '#storage/tables/render-leases.ts';
import { createRendersTable } from '#storage/tables/renders.ts';
import type { RequestWindowsTable } from '#storage/tables/request-windows.ts';
import { createAuditLogTable } from '#storage/tables/audit-log.ts';
import { createPeopleTable } from '#storage/tables/people.ts';
import { createPlansTable } from '#storage/tables/plans.ts';
import { createQuotaWarningsTable } from '#storage/tables/quota-warnings.ts';
import { createRequestDaysTable } from '#storage/tables/request-days.ts';
import { createRequestLogTable } from '#storage/tables/request-log.ts';
import { createSettingsTable } from '#storage/tables/settings.ts';
import { createUploadLinksTable } from '#storage/tables/upload-links.ts';
import { createUploadsTable } from '#storage/tables/uploads.ts';
import { createUsageTable } from '#storage/tables/usage.ts';
import { createVariantsTable } from '#storage/tables/variants.ts';
import { createWebhooksTable } from '#storage/tables/webhooks.ts';
import { createWebhookSecretsTable } from '#storage/tables/webhook-secrets.ts';

/** The connection was lost during a commit. Whether it succeeded is unknown, so nothing may be undone. */
export class UnknownOutcomeError extends Error {}

interface TransactionOptions {
  /** `relaxed`: may be lost in a power cut, so it skips fsync. Other transactions still see it. */
  durability?: 'full' | 'relaxed';
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  readonly tables: Tables;
  /** The connection itself, for better-auth, which has its own queries. */
  readonly connection: Kysely<Schema>;
  /** Times of every statement: `query`, `commit`, and with a pool `connect`, the wait for a connection. */
  readonly timings: Timings;
  /** Counts the requests of accounts, when many machines share the database. */
  readonly requestWindows?: RequestWindowsTable;
  /** Decides which machine runs a chore, when many share the database. */
  readonly chores?: ChoresTable;
  /** Runs `work` in a transaction, which rolls back if `work` throws. See also UnknownOutcomeError. */
  transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** One that locks a row of the account. With a pool, few of an account run at once: the others would hold connections and wait. */
  transactionOf<T>(
    accountId: string,
    work: (tables: Tables) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /**
   * How far the database's clock is ahead of this machine's. Machines that share a database use its clock, so that leases, locks
   * and expiry do not depend on the accuracy of theirs.
   */
  aheadMs(): number;
  /** Rejects when the database does not respond. Also measures `aheadMs`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type Tables = ReturnType<typeof createTables>;

export function createTables(db: Kysely<Schema>) {
  return {
    accounts: createAccountsTable(db),
    apiKeys: createApiKeysTable(db),
    uploads: createUploadsTable(db),
    albums: createAlbumsTable(db),
    uploadLinks: createUploadLinksTable(db),
    renders: createRendersTable(db),
    variants: createVariantsTable(db),
    renderJobs: createRenderJobsTable(db),
    renderLeases: createRenderLeasesTable(db),
    renderFlights: createRenderFlightsTable(db),
    linkKeys: createLinkKeysTable(db),
    idempotency: createIdempotencyTable(db),
    usage: createUsageTable(db),
    people: createPeopleTable(db),
    requestLog: createRequestLogTable(db),
    requestDays: createRequestDaysTable(db),
    quotaWarnings: createQuotaWarningsTable(db),
    auditLog: createAuditLogTable(db),
    settings: createSettingsTable(db),
    plans: createPlansTable(db),
    webhooks: createWebhooksTable(db),
    webhookSecrets: createWebhookSecretsTable(db),
    /** Queries limited to the rows of one account. */
    ownedBy: (accountId: string) => createOwned(db, accountId),
  };
}
