// The tables as types. On every engine booleans are 0 or 1 and times are milliseconds since the epoch, so that the same query
// works on all.

export type Flag = 0 | 1;
export type Unit = 'upload' | 'render';
/** What a render made; of several outputs the first picture or PDF decides. */
export type RenderKind = 'screenshot' | 'pdf' | 'extract';
/** How far a render is: of a pending one, `render_jobs` knows whether it waits or runs. */
export const renderStates = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type RenderState = (typeof renderStates)[number];
export const keyScopes = ['all', 'uploads', 'renders'] as const;
/** What an API key may be used for. */
export type KeyScope = (typeof keyScopes)[number];

/** What an endpoint can be told of. */
export const webhookEvents = [
  'render.succeeded',
  'render.failed',
  'upload.created',
  'upload.deleted',
  'quota.warning',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

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
  /**
   * The events that its endpoints are told of, separated by commas; empty if there are none. Written with the endpoints, so that
   * a reader of the account knows without another query that there is nothing to tell.
   */
  webhook_events: string;
  /** Private hosts that its renders may reach, each with its port, separated by commas; empty for most. */
  allowed_hosts: string;
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
  /** Units that the key may use of the account's quota; null for a key without a quota of its own. */
  uploads_per_month: number | null;
  renders_per_month: number | null;
}

/** An address that a key was used from; the newest of each key are kept. */
export interface KeyAddressRow {
  key_id: string;
  address: string;
  last_used_at: number;
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
  title: string | null;
  /** A JSON array of texts, in the order of the owner. */
  tags: string;
  /** The kinds of metadata that were found and removed, as a JSON array. */
  metadata_removed: string;
  /** A visitor must know the password; null if there is none. */
  password_hash: string | null;
  /** How often it can still be shown; null for no limit. At 0 its link has ended, and its owner keeps it. */
  views_left: number | null;
  /** How often visitors asked to see it and were let in. With `views_left` it adds up to the limit. */
  views: number;
  album_id: string | null;
}

/** One link for many uploads, which outlive it. */
export interface AlbumRow {
  id: string;
  slug: string;
  account_id: string;
  title: string | null;
  description: string | null;
  created_at: number;
  expires_at: number | null;
}

/** Lets others upload for the account. The token is enough; only its hash is stored. */
export interface UploadLinkRow {
  id: string;
  account_id: string;
  token_hash: string;
  title: string | null;
  /** Where its uploads go; the link ends with the album. */
  album_id: string | null;
  max_files: number;
  /** The largest file. */
  max_bytes: number;
  used_files: number;
  used_bytes: number;
  created_at: number;
  expires_at: number;
}

/** Finds uploads by a tag. Written with the `tags` of the upload, and deleted with it. */
interface UploadTagRow {
  account_id: string;
  tag: string;
  upload_id: string;
}

export interface RenderRow {
  id: string;
  account_id: string;
  key_id: string | null;
  kind: RenderKind;
  /** The page's address, or the base URL of a document; `about:html` or `about:markdown` if it has none. */
  target: string;
  /** Why it failed, as the client was told; null when it succeeded. */
  failure: string | null;
  /** The options used, as JSON. */
  options: string;
  /** The type of the output that decides the kind. */
  content_type: string;
  /** The size of all outputs together. */
  size_bytes: number | null;
  duration_ms: number | null;
  /** The hash of the first output, if it is stored. */
  sha256: string | null;
  /** 1 if /s/ or /p/ serves it; 0 for a render returned as bytes, which is only recorded. */
  hosted: Flag;
  created_at: number;
  /** When the stored bytes are deleted; null if never, or if none are stored. */
  expires_at: number | null;
  deleted_at: number | null;
  /** The client's own word for it, to find it again. */
  reference: string | null;
  /** What it cost; 0 if it failed. */
  units: number;
  /** How many outputs it has. The first is stored under the render's id, the others under that id and a number; see core/ids.ts. */
  outputs: number;
  /** The `Receipt` of renders/stored-render.ts as JSON; null for renders from before version 2. */
  receipt: string | null;
  /** Null while it is pending, and for renders from before version 2, whose `created_at` is the end. */
  finished_at: number | null;
  /** What it answers, if it may answer later requests too: the hash of renders/cache-key.ts. A pending one has that of renders/render-jobs.ts. */
  cache_key: string | null;
  /** `render_jobs` knows more of a pending one. A canceled one has a `failure` too, so that it is never taken for a success. */
  state: 'pending' | 'ended' | 'canceled';
}

/** A render that waits for its turn or runs on some machine. It ends with the transaction that deletes this row. */
export interface RenderJobRow {
  /** The id of its pending render, and of the blob that holds what came with the request. */
  id: string;
  account_id: string;
  key_id: string | null;
  created_at: number;
  /** Reserved until it ends. */
  units: number;
  webhook_url: string | null;
  /** How much of the blob is the encrypted request; the rest are its files. */
  request_bytes: number;
  /** How often it was begun. */
  attempts: number;
  /** The claim of the machine that has begun it last; no other may end it. */
  claim: string | null;
  /** Until then it holds a capture slot; afterwards any machine may begin it. */
  leased_until: number;
  /** Whether its outputs are on their way elsewhere. It can no longer be canceled: what has arrived is paid for. */
  sending: Flag;
}

/** An account that may have jobs. Its row is the lock of its queue: adding a job and beginning one both write to it first. */
interface RenderQueueRow {
  account_id: string;
  /** How many it has had; the account with the lowest number is next. One that comes later begins where the furthest is. */
  turn: number;
}

/** A render that is being made for everyone who asks for the same; after a failure, what they are told for a while. */
export interface RenderFlightRow {
  account_id: string;
  cache_key: string;
  /** The id of the attempt that makes it, or made it. */
  attempt: string;
  /** Until then nobody else makes it; the one who does prolongs it. */
  locked_until: number;
  /** What the client is told, as JSON. */
  failure: string | null;
  failed_until: number;
}

/** Signs links, until it is revoked and deleted. The service must be able to read its secret, so it is encrypted and not hashed. */
export interface LinkKeyRow {
  id: string;
  account_id: string;
  name: string;
  sealed: string;
  created_at: number;
}

/** What is known of a variant of a picture, which is stored under its key; without a size, the original is served in its place. */
export interface VariantRow {
  /** That of the original, for what holds for all its variants. */
  key: string;
  /** The upload or the render. */
  owner_id: string;
  account_id: string;
  size_bytes: number | null;
  sha256: string | null;
  /** Why it could not be made. */
  failure: string | null;
  created_at: number;
}

/** A render in progress: it holds a capture slot and its units until it ends or the lease runs out. */
export interface RenderLeaseRow {
  id: string;
  account_id: string;
  key_id: string | null;
  expires_at: number;
  units: number;
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
/** Routes say it. `queued`: a render for later; `read`: changes nothing; `change`: everything else. */
export type RequestKind = 'upload' | 'render' | 'queued' | 'read' | 'change';

export interface RequestLogRow {
  id: string;
  account_id: string;
  key_id: string | null;
  path: string;
  /** Null in rows of before there were kinds. */
  kind: RequestKind | null;
  status: number;
  code: string | null;
  /** The error's message; for a 401, the reason that the response does not reveal. */
  reason: string | null;
  /** The field of the request that the error is about. */
  field: string | null;
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

/** The request log summed by day (as above), key and kind, for charts that go back further than the log. */
export interface RequestDayRow extends Record<TookColumn, number> {
  account_id: string;
  day: number;
  key_id: string;
  /** The kind. In rows of before there were kinds, which stay for a year, the path: the column is a part of the key and keeps its name. */
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

/**
 * Where webhooks go, and the queue of what waits to be sent there. The row whose id is that of its account has no URL: it is the
 * queue of the webhooks whose URL came with a render.
 */
export interface WebhookEndpointRow {
  id: string;
  account_id: string;
  url: string | null;
  /** Separated by commas. */
  events: string;
  created_at: number;
  /** When it was switched off; null while it is on. */
  off_at: number | null;
  off_reason: 'owner' | 'failing' | 'crowded' | null;
  /** 1 while its owner must still be mailed that it was switched off. */
  notice: Flag;
  /** Deliveries that wait: at least that many did at the end of the last turn, and as many have come since. */
  waiting: number;
  /** When the first of them is due; null if none waits. */
  next_at: number | null;
  /** Until then one machine has the queue to itself. */
  leased_until: number;
}

/** One event for one endpoint: it waits, then it is a row of the log. */
export interface WebhookDeliveryRow {
  id: string;
  account_id: string;
  endpoint_id: string;
  event: WebhookEvent;
  /** Given with a render; null for that of the endpoint. */
  url: string | null;
  /** JSON, as it is signed and sent; for a render, what the message says in place of its receipt. */
  body: string;
  /** The render whose receipt the message has when it is sent; null if `body` says everything. */
  render_id: string | null;
  created_at: number;
  state: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  /** When it is tried next; null if it is not. */
  next_at: number | null;
}

export interface WebhookAttemptRow {
  delivery_id: string;
  number: number;
  at: number;
  /** The status of the answer; null if there was none. */
  status: number | null;
  /** Why there was no answer. */
  failure: string | null;
  duration_ms: number;
}

/** Signs an account's webhooks. The service must be able to read it, so it is encrypted and not hashed. */
export interface WebhookSecretRow {
  account_id: string;
  sealed: string;
  /** The one before, which signs too until then. */
  previous_sealed: string | null;
  previous_until: number | null;
  created_at: number;
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

/** A plan that an owner has made, or changed, in the dashboard. */
export interface PlanRow {
  id: string;
  /** As JSON, in the form of a plan of PLANS_FILE. */
  definition: string;
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
/** An authenticator app with its recovery codes, or a passkey. */
interface CredentialRow {
  person_id: string;
}
/** A password, or who the person is at a sign-in provider. */
interface PersonCredentialRow extends CredentialRow {
  provider_id: string;
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
  key_addresses: KeyAddressRow;
  usage_counters: UsageCounterRow;
  usage_events: UsageEventRow;
  uploads: UploadRow;
  upload_tags: UploadTagRow;
  albums: AlbumRow;
  upload_links: UploadLinkRow;
  renders: RenderRow;
  variants: VariantRow;
  render_leases: RenderLeaseRow;
  render_flights: RenderFlightRow;
  link_keys: LinkKeyRow;
  render_jobs: RenderJobRow;
  render_queues: RenderQueueRow;
  idempotency_keys: IdempotencyRow;
  usage_days: UsageDayRow;
  request_log: RequestLogRow;
  request_days: RequestDayRow;
  quota_warnings: QuotaWarningRow;
  webhook_endpoints: WebhookEndpointRow;
  webhook_deliveries: WebhookDeliveryRow;
  webhook_attempts: WebhookAttemptRow;
  webhook_secrets: WebhookSecretRow;
  audit_log: AuditLogRow;
  settings: SettingRow;
  plans: PlanRow;
  people: PersonRow;
  sessions: SessionRow;
  credentials: PersonCredentialRow;
  two_factors: CredentialRow;
  passkeys: CredentialRow;
  verifications: VerificationRow;
}
