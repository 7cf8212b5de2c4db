// The tables as types. Booleans are 0 or 1 and times are milliseconds since the epoch on every engine,
// so that one query text serves them all.

export type Flag = 0 | 1;
export type Unit = 'upload' | 'render';

export interface AccountRow {
  id: string;
  email: string;
  plan: string;
  verified: Flag;
  suspended: Flag;
  overages: Flag;
  created_at: number;
}

export interface ApiKeyRow {
  id: string;
  account_id: string;
  name: string;
  key_hash: string;
  /** The first and last characters, for people to recognise a key by; the rest is not stored. */
  display: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export interface UsageCounterRow {
  account_id: string;
  unit: Unit;
  month: string;
  used: number;
  /** Units held by renders in progress: they count against the quota, but are not used yet. */
  reserved: number;
  overage: number;
}

export interface UsageEventRow {
  id: string;
  account_id: string;
  key_id: string | null;
  unit: Unit;
  month: string;
  source_id: string;
  overage: Flag;
  created_at: number;
}

export interface UploadRow {
  id: string;
  slug: string;
  account_id: string;
  key_id: string | null;
  filename: string;
  content_type: string;
  size_bytes: number;
  width: number | null;
  height: number | null;
  sha256: string;
  delete_token_hash: string;
  created_at: number;
  expires_at: number | null;
  deleted_at: number | null;
}

export interface Schema {
  accounts: AccountRow;
  api_keys: ApiKeyRow;
  usage_counters: UsageCounterRow;
  usage_events: UsageEventRow;
  uploads: UploadRow;
}
