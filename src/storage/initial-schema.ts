// The first migration: every table and index. schema.ts describes the columns. Like every migration it is never edited after a
// release, so it uses nothing from the rest of the code.

/** better-auth requires these types for its tables, which are those from `people` to `passkeys`, and their names. */
const dialects = {
  sqlite: { date: 'date', flag: 'integer', inOrderOfKey: 'without rowid' },
  postgres: { date: 'timestamptz', flag: 'boolean', inOrderOfKey: '' },
};

/** One entry per statement, because SQLite's driver runs one at a time. */
export function initialSchema(engine: keyof typeof dialects): string[] {
  const text = onEveryEngine(dialects[engine]) + (engine === 'postgres' ? forFleets : '');
  return text.split(';').filter((statement) => statement.trim() !== '');
}

const ofAccount = 'account_id text not null references accounts (id) on delete cascade';
const ofPerson = 'person_id text not null references people (id) on delete cascade';

const onEveryEngine = ({ date, flag, inOrderOfKey }: (typeof dialects)['sqlite']): string => `
create table accounts (
  id text primary key,
  email text not null unique,
  plan text not null,
  verified integer not null,
  suspended integer not null,
  overages integer not null,
  created_at bigint not null,
  owner integer not null default 0,
  suspended_reason text,
  overage_cap integer,
  deleted_at bigint
);

create table api_keys (
  id text primary key,
  ${ofAccount},
  name text not null,
  key_hash text not null unique,
  display text not null,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint,
  scope text not null default 'all',
  expires_at bigint
);
create index api_keys_account on api_keys (account_id);

create table uploads (
  id text primary key,
  slug text not null unique,
  ${ofAccount},
  key_id text,
  filename text not null,
  content_type text not null,
  size_bytes integer not null,
  width bigint,
  height bigint,
  sha256 text not null,
  delete_token_hash text not null,
  created_at bigint not null,
  expires_at bigint,
  deleted_at bigint
);
create index uploads_account_time on uploads (account_id, created_at, id);
create index uploads_expiring on uploads (expires_at) where expires_at is not null;
create index uploads_deleted on uploads (deleted_at) where deleted_at is not null;

create table renders (
  id text primary key,
  ${ofAccount},
  key_id text,
  kind text not null,
  target text not null,
  failure text,
  options text not null,
  content_type text not null,
  size_bytes integer,
  duration_ms integer,
  sha256 text,
  hosted integer not null,
  created_at bigint not null,
  expires_at bigint,
  deleted_at bigint
);
create index renders_account_time on renders (account_id, created_at, id);
create index renders_time on renders (created_at);
create index renders_expiring on renders (expires_at) where expires_at is not null;
create index renders_deleted on renders (deleted_at) where deleted_at is not null;
create index renders_failed on renders (account_id, created_at) where failure is not null;

create table render_leases (
  id text primary key,
  ${ofAccount},
  expires_at bigint not null
);
create index render_leases_account on render_leases (account_id);

create table idempotency_keys (
  ${ofAccount},
  endpoint text not null,
  idempotency_key text not null,
  fingerprint text not null,
  attempt text not null unique,
  locked_until bigint not null,
  created_at bigint not null,
  status integer,
  headers text,
  body text,
  render_id text,
  constraint idempotency_keys_key primary key (account_id, endpoint, idempotency_key)
);
create index idempotency_keys_time on idempotency_keys (created_at);

create table usage_counters (
  ${ofAccount},
  unit text not null,
  month text not null,
  used integer not null,
  overage integer not null,
  constraint usage_counters_key primary key (account_id, unit, month)
);

-- The ledger and the request log grow by millions of rows. Their keys begin with account and time, so that a new row is stored after
-- the account's last one. Random ids would put each row on a different page, and those pages would soon not fit in memory.
create table usage_events (
  ${ofAccount},
  created_at bigint not null,
  source_id text not null,
  key_id text,
  unit text not null,
  month text not null,
  overage integer not null,
  primary key (account_id, created_at, source_id)
) ${inOrderOfKey};

create table usage_days (
  ${ofAccount},
  day integer not null,
  unit text not null,
  key_id text not null,
  used integer not null,
  overage integer not null,
  constraint usage_days_key primary key (account_id, day, unit, key_id)
);

create table request_log (
  ${ofAccount},
  created_at bigint not null,
  id text not null,
  key_id text,
  path text not null,
  status integer not null,
  code text,
  reason text,
  duration_ms integer not null,
  phases text,
  made text,
  primary key (account_id, created_at, id)
) ${inOrderOfKey};
create index request_log_time on request_log (created_at);

create table request_days (
  ${ofAccount},
  day integer not null,
  key_id text not null,
  path text not null,
  refused integer not null,
  failed integer not null,
  ${Array.from({ length: 12 }, (_, bucket) => `took_${bucket} integer not null`).join(', ')},
  constraint request_days_key primary key (account_id, day, key_id, path)
);
create index request_days_day on request_days (day);

create table quota_warnings (
  ${ofAccount},
  month text not null,
  unit text not null,
  percent integer not null,
  used integer not null,
  quota integer not null,
  created_at bigint not null,
  sent_at bigint,
  constraint quota_warnings_key primary key (account_id, month, unit, percent)
);
create index quota_warnings_waiting on quota_warnings (created_at) where sent_at is null;

create table audit_log (
  id text primary key,
  actor_id text not null,
  actor_email text not null,
  action text not null,
  target_id text,
  target_email text,
  detail text not null,
  created_at bigint not null
);
create index audit_log_time on audit_log (created_at, id);

create table settings (
  name text primary key,
  value text not null
);

-- A person has the id of their account and is deleted with it.
create table people (
  id text primary key references accounts (id) on delete cascade,
  name text not null,
  email text not null unique,
  email_verified ${flag} not null,
  image text,
  created_at ${date} not null,
  updated_at ${date} not null,
  two_factor_enabled ${flag}
);

create table sessions (
  id text primary key,
  ${ofPerson},
  token text not null unique,
  expires_at ${date} not null,
  address text,
  user_agent text,
  created_at ${date} not null,
  updated_at ${date} not null
);
create index sessions_person_id_idx on sessions (person_id);

create table credentials (
  id text primary key,
  ${ofPerson},
  account_id text not null,
  provider_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at ${date},
  refresh_token_expires_at ${date},
  scope text,
  created_at ${date} not null,
  updated_at ${date} not null
);
create index credentials_person_id_idx on credentials (person_id);

create table verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at ${date} not null,
  created_at ${date} not null,
  updated_at ${date} not null
);
create index verifications_identifier_idx on verifications (identifier);

create table two_factors (
  id text primary key,
  ${ofPerson},
  secret text not null,
  backup_codes text not null,
  verified ${flag},
  failed_count integer,
  locked_until ${date}
);
create unique index two_factors_person_id_idx on two_factors (person_id);

create table passkeys (
  id text primary key,
  ${ofPerson},
  name text,
  credential_id text not null unique,
  public_key text not null,
  counter bigint not null,
  device_type text not null,
  backed_up ${flag} not null,
  transports text,
  aaguid text,
  created_at ${date}
);
create index passkeys_person_id_idx on passkeys (person_id);
`;

/** State that machines share through the database; a single machine keeps it in memory. */
const forFleets = `
-- Unlogged: one-minute windows are not worth a WAL write. After a crash of the server they start again.
create unlogged table request_windows (
  account_id text primary key references accounts (id) on delete cascade,
  ends_at bigint not null,
  count integer not null,
  refused integer not null
);

create table chores (
  name text primary key,
  next_at bigint not null
);
`;
