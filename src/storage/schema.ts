// The tables as types. On every engine booleans are 0 or 1 and times are milliseconds since the epoch, so that the same query
// works on all.

export type Flag = 0 | 1;
export type Unit = 'upload' | 'render';
export type RenderKind = 'screenshot' | 'pdf';
export const keyScopes = ['all', 'uploads', 'renders'] as const;
/** What an API key may be used for. */
export type KeyScope = (typeof keyScopes)[number];

export interface AccountRow {
  id: string;
  email: string;
  plan: string;
  verified: Flag;
  suspended: Flag;
  overages: Flag;
  created_at: number;
  /** May open the admin pages. */
  owner: Flag;
  /** Shown to the account's owner while it is suspended. */
  suspended_reason: string | null;
  /** Maximum units of each type past the quota; null for no cap. */
  overage_cap: number | null;
  /** Set while the account's files are being deleted; the row is deleted last. */
  deleted_at: number | null;
}

export interface ApiKeyRow {
  id: string;
  account_id: string;
  name: string;
  key_hash: string;
  /** The first and last characters, so that people recognise a key; the rest is not stored. */
  display: string;
  created_at: number;
  last_used_at: number | null;
  /** May be in the future: a rotated key works until then. */
  revoked_at: number | null;
  scope: KeyScope;
  /** Set when the key was made; null for a key that does not expire. */
  expires_at: number | null;
}

export interface UsageCounterRow {
  account_id: string;
  unit: Unit;
  month: string;
  used: number;
  overage: number;
}

/** One unit in the ledger. */
export interface UsageEventRow {
  account_id: string;
  key_id: string | null;
  unit: Unit;
  month: string;
  /** The upload or render that it was used for. */
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
  /** When set, the upload does not resolve. Its bytes may be deleted from this time on; before it the deletion can be undone. */
  deleted_at: number | null;
}

export interface RenderRow {
  id: string;
  account_id: string;
  key_id: string | null;
  kind: RenderKind;
  target: string;
  /** Why it failed, as the client was told; null when it succeeded. */
  failure: string | null;
  /** The options used, as JSON. */
  options: string;
  content_type: string;
  size_bytes: number | null;
  duration_ms: number | null;
  sha256: string | null;
  /** 1 if /s/ or /p/ serves it; 0 for a render returned as bytes, which is only recorded. */
  hosted: Flag;
  created_at: number;
  /** When the stored bytes are deleted; null if never, or if none are stored. */
  expires_at: number | null;
  deleted_at: number | null;
}

/** A render in progress: it holds a capture slot and a unit until it ends or the lease runs out. */
export interface RenderLeaseRow {
  id: string;
  account_id: string;
  expires_at: number;
}

export interface IdempotencyRow {
  account_id: string;
  endpoint: string;
  /** A hash, because the client's key itself encrypts the body. */
  idempotency_key: string;
  fingerprint: string;
  /** The id of the attempt that runs, or ran, the request. */
  attempt: string;
  locked_until: number;
  created_at: number;
  /** Null while the request runs. */
  status: number | null;
  headers: string | null;
  body: string | null;
  /** The render whose stored bytes are the body. */
  render_id: string | null;
}

/** The ledger summed by day (whole days since the epoch, UTC) and key; the key '' stands for the dashboard. */
export interface UsageDayRow {
  account_id: string;
  day: number;
  unit: Unit;
  key_id: string;
  used: number;
  overage: number;
}

/** One response of the API; its id is the request id. */
export interface RequestLogRow {
  id: string;
  account_id: string;
  key_id: string | null;
  path: string;
  status: number;
  code: string | null;
  /** The error's message; for a 401, the reason that the response does not reveal. */
  reason: string | null;
  duration_ms: number;
  created_at: number;
  /** The duration of each step in milliseconds, as an ordered JSON object; null if no step was reached. */
  phases: string | null;
  /** Comma-separated ids of the uploads, or of the render, that it stored; null if it stored nothing. */
  made: string | null;
}

/** Upper bounds of the response time buckets; one more bucket holds longer times. Columns are named after their index. */
export const latencyBoundsMs = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
export type TookColumn = `took_${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11}`;

/** The request log summed by day (as above), key and path, for charts that go back further than the log. */
export interface RequestDayRow extends Record<TookColumn, number> {
  account_id: string;
  day: number;
  key_id: string;
  path: string;
  /** 4xx. */
  refused: number;
  /** 5xx. Successful requests are the sum of the buckets. */
  failed: number;
}

/** A threshold of the month's quota that was reached, once per month. It waits to be mailed while `sent_at` is null. */
export interface QuotaWarningRow {
  account_id: string;
  month: string;
  unit: Unit;
  percent: number;
  used: number;
  quota: number;
  created_at: number;
  sent_at: number | null;
}

/** An admin's action. It outlives the account it concerned; its target is then removed. */
export interface AuditLogRow {
  id: string;
  actor_id: string;
  actor_email: string;
  action: string;
  target_id: string | null;
  target_email: string | null;
  /** JSON. */
  detail: string;
  created_at: number;
}

interface SettingRow {
  name: string;
  value: string;
}

/** The columns of better-auth's tables that our own queries touch; it reads and writes the rest. */
interface PersonRow {
  id: string;
  name: string;
  email: string;
  email_verified: boolean;
  two_factor_enabled: boolean | null;
}
/** A password, an authenticator app with its recovery codes, or a passkey. */
interface CredentialRow {
  person_id: string;
}
interface ExpiringRow {
  /** A date column; ISO text compares correctly on every engine. */
  expires_at: string;
}

/** A link, or a sign-in that waits for its code. The value begins with the id of the account. */
interface VerificationRow extends ExpiringRow {
  value: string;
}

interface SessionRow extends ExpiringRow {
  id: string;
  person_id: string;
  /** The IP address of the client that signed in. */
  address: string | null;
}

export interface Schema {
  accounts: AccountRow;
  api_keys: ApiKeyRow;
  usage_counters: UsageCounterRow;
  usage_events: UsageEventRow;
  uploads: UploadRow;
  renders: RenderRow;
  render_leases: RenderLeaseRow;
  idempotency_keys: IdempotencyRow;
  usage_days: UsageDayRow;
  request_log: RequestLogRow;
  request_days: RequestDayRow;
  quota_warnings: QuotaWarningRow;
  audit_log: AuditLogRow;
  settings: SettingRow;
  people: PersonRow;
  sessions: SessionRow;
  credentials: CredentialRow;
  two_factors: CredentialRow;
  passkeys: CredentialRow;
  verifications: VerificationRow;
}
