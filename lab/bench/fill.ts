// Creates years of data in seconds: upload rows with their ledger, written directly into the database file, and the blobs of
// some.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { newId, newSlug } from '#core/ids.ts';
import { monthOf } from '#metering/quota.ts';

export interface Filled {
  dataDir: string;
  accountId: string;
  uploads: number;
  /** How many of the uploads have their bytes on the disk, spread evenly over all of them. */
  withBytes: number;
  bytes: Buffer;
  /** Undefined for uploads that do not expire. */
  expiresAt?: number;
}

/** The slugs of the uploads that have bytes. */
export function fillUploads({ dataDir, accountId, uploads, withBytes, bytes, expiresAt }: Filled): string[] {
  const database = new DatabaseSync(join(dataDir, 'tintype.db'));
  database.exec('pragma synchronous = off; pragma cache_size = -524288; begin');
  const upload = database.prepare(
    `insert into uploads (id, slug, account_id, filename, content_type, size_bytes, width, height, sha256,
      delete_token_hash, created_at, expires_at) values (?, ?, ?, ?, 'image/png', ?, 64, 48, ?, ?, ?, ?)`,
  );
  const event = database.prepare(
    `insert into usage_events (account_id, unit, month, source_id, overage, created_at)
      values (?, 'upload', ?, ?, 0, ?)`,
  );
  const now = Date.now();
  const hash = 'f'.repeat(64);
  const slugs: string[] = [];
  const store = join(dataDir, 'blobs', 'uploads', 'store');
  for (let index = 0; index < uploads; index += 1) {
    const id = newId();
    const slug = newSlug();
    // Spread over the last three weeks, oldest first, as they would have arrived.
    const createdAt = now - Math.round(((uploads - index) / uploads) * 21 * 86_400_000);
    upload.run(
      id,
      slug,
      accountId,
      `picture-${index}.png`,
      bytes.length,
      hash,
      hash,
      createdAt,
      expiresAt ?? null,
    );
    event.run(accountId, monthOf(createdAt), id, createdAt);
    if (Math.floor((index * withBytes) / uploads) === Math.floor(((index + 1) * withBytes) / uploads))
      continue;
    slugs.push(slug);
    mkdirSync(join(store, id.slice(0, 2)), { recursive: true });
    writeFileSync(join(store, id.slice(0, 2), id), bytes);
  }
  database.exec(
    `insert or replace into usage_counters (account_id, unit, month, used, overage)
      select account_id, unit, month, count(*), 0 from usage_events group by 1, 2, 3`,
  );
  database.exec('commit; pragma wal_checkpoint(truncate)');
  database.close();
  return slugs;
}

/** Accounts that all have some usage this month. */
export function fillAccounts(dataDir: string, count: number): void {
  const database = new DatabaseSync(join(dataDir, 'tintype.db'));
  database.exec('pragma synchronous = off; begin');
  const account = database.prepare(
    `insert into accounts (id, email, plan, verified, suspended, overages, created_at, owner) values (?, ?, 'endless', 1, 0, 0, ?, 0)`,
  );
  const counter = database.prepare(
    `insert into usage_counters (account_id, unit, month, used, overage) values (?, 'upload', ?, 10, 0)`,
  );
  const now = Date.now();
  for (let index = 0; index < count; index += 1) {
    const id = newId();
    account.run(id, `person-${index}@example.com`, now);
    counter.run(id, monthOf(now));
  }
  database.exec('commit');
  database.close();
}
