-- The schema that eleven migrations had built before they became one, and their names. Dumped once; never edited.
create table kysely_migration (
  name character varying(255) not null,
  "timestamp" character varying(255) not null
);
create table kysely_migration_lock (
  id character varying(255) not null,
  is_locked integer not null default 0
);
create table accounts (
  id text not null,
  email text not null,
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
  id text not null,
  account_id text not null,
  name text not null,
  key_hash text not null,
  display text not null,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint,
  scope text not null default 'all'::text,
  expires_at bigint
);
create table usage_counters (
  account_id text not null,
  unit text not null,
  month text not null,
  used integer not null,
  overage integer not null
);
create table usage_events (
  account_id text not null,
  key_id text,
  unit text not null,
  month text not null,
  source_id text not null,
  overage integer not null,
  created_at bigint not null
);
create table uploads (
  id text not null,
  slug text not null,
  account_id text not null,
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
create table renders (
  id text not null,
  account_id text not null,
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
create table render_leases (
  id text not null,
  account_id text not null,
  expires_at bigint not null
);
create table idempotency_keys (
  account_id text not null,
  endpoint text not null,
  idempotency_key text not null,
  fingerprint text not null,
  attempt text not null,
  locked_until bigint not null,
  created_at bigint not null,
  status integer,
  headers text,
  body text,
  render_id text
);
create unlogged table request_windows (
  account_id text not null,
  ends_at bigint not null,
  count integer not null,
  refused integer not null
);
create table chores (
  name text not null,
  next_at bigint not null
);
create table settings (
  name text not null,
  value text not null
);
create table people (
  id text not null,
  name text not null,
  email text not null,
  email_verified boolean not null,
  image text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  two_factor_enabled boolean
);
create table sessions (
  id text not null,
  person_id text not null,
  token text not null,
  expires_at timestamp with time zone not null,
  address text,
  user_agent text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table credentials (
  id text not null,
  person_id text not null,
  account_id text not null,
  provider_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamp with time zone,
  refresh_token_expires_at timestamp with time zone,
  scope text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table verifications (
  id text not null,
  identifier text not null,
  value text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table usage_days (
  account_id text not null,
  day integer not null,
  unit text not null,
  key_id text not null,
  used integer not null,
  overage integer not null
);
create table request_log (
  id text not null,
  account_id text not null,
  key_id text,
  path text not null,
  status integer not null,
  code text,
  reason text,
  duration_ms integer not null,
  created_at bigint not null,
  phases text,
  made text
);
create table audit_log (
  id text not null,
  actor_id text not null,
  actor_email text not null,
  action text not null,
  target_id text,
  target_email text,
  detail text not null,
  created_at bigint not null
);
create table two_factors (
  id text not null,
  person_id text not null,
  secret text not null,
  backup_codes text not null,
  verified boolean,
  failed_count integer,
  locked_until timestamp with time zone
);
create table passkeys (
  id text not null,
  person_id text not null,
  name text,
  credential_id text not null,
  public_key text not null,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamp with time zone
);
create table request_days (
  account_id text not null,
  day integer not null,
  key_id text not null,
  path text not null,
  refused integer not null,
  failed integer not null,
  took_0 integer not null,
  took_1 integer not null,
  took_2 integer not null,
  took_3 integer not null,
  took_4 integer not null,
  took_5 integer not null,
  took_6 integer not null,
  took_7 integer not null,
  took_8 integer not null,
  took_9 integer not null,
  took_10 integer not null,
  took_11 integer not null
);
create table quota_warnings (
  account_id text not null,
  month text not null,
  unit text not null,
  percent integer not null,
  used integer not null,
  quota integer not null,
  created_at bigint not null,
  sent_at bigint
);
alter table kysely_migration add constraint kysely_migration_pkey PRIMARY KEY (name);
alter table kysely_migration_lock add constraint kysely_migration_lock_pkey PRIMARY KEY (id);
alter table accounts add constraint accounts_pkey PRIMARY KEY (id);
alter table accounts add constraint accounts_email_key UNIQUE (email);
alter table api_keys add constraint api_keys_pkey PRIMARY KEY (id);
alter table api_keys add constraint api_keys_key_hash_key UNIQUE (key_hash);
alter table usage_counters add constraint usage_counters_key PRIMARY KEY (account_id, unit, month);
alter table uploads add constraint uploads_pkey PRIMARY KEY (id);
alter table uploads add constraint uploads_slug_key UNIQUE (slug);
alter table renders add constraint renders_pkey PRIMARY KEY (id);
alter table render_leases add constraint render_leases_pkey PRIMARY KEY (id);
alter table idempotency_keys add constraint idempotency_keys_key PRIMARY KEY (account_id, endpoint, idempotency_key);
alter table idempotency_keys add constraint idempotency_keys_attempt_key UNIQUE (attempt);
alter table request_windows add constraint request_windows_pkey PRIMARY KEY (account_id);
alter table chores add constraint chores_pkey PRIMARY KEY (name);
alter table settings add constraint settings_pkey PRIMARY KEY (name);
alter table people add constraint people_pkey PRIMARY KEY (id);
alter table people add constraint people_email_key UNIQUE (email);
alter table sessions add constraint sessions_pkey PRIMARY KEY (id);
alter table sessions add constraint sessions_token_key UNIQUE (token);
alter table credentials add constraint credentials_pkey PRIMARY KEY (id);
alter table verifications add constraint verifications_pkey PRIMARY KEY (id);
alter table usage_days add constraint usage_days_key PRIMARY KEY (account_id, day, unit, key_id);
alter table audit_log add constraint audit_log_pkey PRIMARY KEY (id);
alter table two_factors add constraint two_factors_pkey PRIMARY KEY (id);
alter table passkeys add constraint passkeys_pkey PRIMARY KEY (id);
alter table passkeys add constraint passkeys_credential_id_key UNIQUE (credential_id);
alter table usage_events add constraint usage_events_pkey PRIMARY KEY (account_id, created_at, source_id);
alter table request_log add constraint request_log_pkey PRIMARY KEY (account_id, created_at, id);
alter table request_days add constraint request_days_key PRIMARY KEY (account_id, day, key_id, path);
alter table quota_warnings add constraint quota_warnings_key PRIMARY KEY (account_id, month, unit, percent);
alter table api_keys add constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table usage_counters add constraint usage_counters_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table usage_events add constraint usage_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table uploads add constraint uploads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table renders add constraint renders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table render_leases add constraint render_leases_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table idempotency_keys add constraint idempotency_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table request_windows add constraint request_windows_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table people add constraint people_id_fkey FOREIGN KEY (id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table sessions add constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE;
alter table credentials add constraint credentials_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE;
alter table usage_days add constraint usage_days_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table request_log add constraint request_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table two_factors add constraint two_factors_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE;
alter table passkeys add constraint passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE;
alter table request_days add constraint request_days_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table quota_warnings add constraint quota_warnings_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
CREATE INDEX api_keys_account ON public.api_keys USING btree (account_id);
CREATE INDEX audit_log_time ON public.audit_log USING btree (created_at, id);
CREATE INDEX credentials_person_id_idx ON public.credentials USING btree (person_id);
CREATE INDEX idempotency_keys_time ON public.idempotency_keys USING btree (created_at);
CREATE INDEX passkeys_person_id_idx ON public.passkeys USING btree (person_id);
CREATE INDEX quota_warnings_waiting ON public.quota_warnings USING btree (created_at) WHERE (sent_at IS NULL);
CREATE INDEX render_leases_account ON public.render_leases USING btree (account_id);
CREATE INDEX renders_account_time ON public.renders USING btree (account_id, created_at, id);
CREATE INDEX renders_deleted ON public.renders USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX renders_expiring ON public.renders USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX renders_failed ON public.renders USING btree (account_id, created_at) WHERE (failure IS NOT NULL);
CREATE INDEX renders_time ON public.renders USING btree (created_at);
CREATE INDEX request_days_day ON public.request_days USING btree (day);
CREATE INDEX request_log_time ON public.request_log USING btree (created_at);
CREATE INDEX sessions_person_id_idx ON public.sessions USING btree (person_id);
CREATE UNIQUE INDEX two_factors_person_id_idx ON public.two_factors USING btree (person_id);
CREATE INDEX uploads_account_time ON public.uploads USING btree (account_id, created_at, id);
CREATE INDEX uploads_deleted ON public.uploads USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX uploads_expiring ON public.uploads USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX verifications_identifier_idx ON public.verifications USING btree (identifier);
insert into kysely_migration (name, timestamp) values
  ('0001_accounts_uploads_usage', '2026-11-17T10:00:00.000Z'),
  ('0002_renders_idempotency', '2026-11-17T10:00:00.001Z'),
  ('0003_fleet', '2026-11-17T10:00:00.002Z'),
  ('0010_dashboard', '2026-11-17T10:00:00.003Z'),
  ('0011_wide_dimensions', '2026-11-17T10:00:00.004Z'),
  ('0012_sealed_answers', '2026-11-17T10:00:00.005Z'),
  ('0013_failed_renders', '2026-11-17T10:00:00.006Z'),
  ('0014_key_scope_expiry', '2026-11-17T10:00:00.007Z'),
  ('0015_second_factors', '2026-11-17T10:00:00.008Z'),
  ('0016_keys_by_time', '2026-11-17T10:00:00.009Z'),
  ('0017_request_details', '2026-11-17T10:00:00.010Z');
insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0);
