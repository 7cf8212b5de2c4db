// Rows as the service writes them, for the storage suites.
import { hashSecret, newId, newSlug } from '#core/ids.ts';
import type { AccountRow, IdempotencyRow, RenderRow, UploadRow, UsageEventRow } from '#storage/schema.ts';

export const accountRow = (change: Partial<AccountRow> = {}): AccountRow => {
  const id = newId();
  return {
    id,
    email: `${id.toLowerCase()}@example.com`,
    plan: 'free',
    verified: 1,
    suspended: 0,
    overages: 0,
    owner: 0,
    suspended_reason: null,
    overage_cap: null,
    deleted_at: null,
    webhook_events: '',
    allowed_hosts: '',
    created_at: Date.now(),
    ...change,
  };
};

export const uploadRow = (accountId: string, change: Partial<UploadRow> = {}): UploadRow => ({
  id: newId(),
  slug: newSlug(),
  account_id: accountId,
  key_id: null,
  filename: 'Straße — 写真.png',
  content_type: 'image/png',
  size_bytes: 10_485_760,
  width: 640,
  height: null,
  sha256: hashSecret('bytes'),
  delete_token_hash: hashSecret('token'),
  created_at: Date.now(),
  expires_at: null,
  deleted_at: null,
  title: null,
  tags: '[]',
  metadata_removed: '[]',
  password_hash: null,
  views_left: null,
  views: 0,
  album_id: null,
  ...change,
});

export const eventRow = (accountId: string, month: string, overage: 0 | 1 = 0): UsageEventRow => ({
  account_id: accountId,
  key_id: null,
  unit: 'upload',
  month,
  source_id: newId(),
  overage,
  created_at: Date.now(),
});

export const renderRow = (accountId: string, change: Partial<RenderRow> = {}): RenderRow => ({
  id: newId(),
  account_id: accountId,
  key_id: null,
  kind: 'screenshot',
  target: 'https://example.com/',
  failure: null,
  options: '{}',
  content_type: 'image/png',
  size_bytes: 12_345,
  duration_ms: 321,
  sha256: hashSecret('bytes'),
  hosted: 1,
  created_at: 1_000,
  expires_at: null,
  deleted_at: null,
  reference: null,
  units: 1,
  outputs: 1,
  receipt: null,
  cache_key: null,
  finished_at: null,
  state: 'ended',
  ...change,
});

export const claimRow = (accountId: string, attempt: string): IdempotencyRow => ({
  account_id: accountId,
  endpoint: '/api/v1/upload',
  idempotency_key: 'once',
  fingerprint: hashSecret('content'),
  attempt,
  locked_until: 2_000,
  created_at: 1_000,
  status: null,
  headers: null,
  body: null,
  render_id: null,
});
