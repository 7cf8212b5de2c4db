-- The schema that eleven migrations had built before they became one, and their names. Dumped once; never edited.
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "accounts" ("id" text primary key, "email" text not null unique, "plan" text not null, "verified" integer not null, "suspended" integer not null, "overages" integer not null, "created_at" bigint not null, "owner" integer not null default 0, "suspended_reason" text, "overage_cap" integer, "deleted_at" bigint);
CREATE TABLE "api_keys" ("id" text primary key, "account_id" text not null references "accounts" ("id") on delete cascade, "name" text not null, "key_hash" text not null unique, "display" text not null, "created_at" bigint not null, "last_used_at" bigint, "revoked_at" bigint, "scope" text default 'all' not null, "expires_at" bigint);
CREATE INDEX "api_keys_account" on "api_keys" ("account_id");
CREATE TABLE "usage_counters" ("account_id" text not null references "accounts" ("id") on delete cascade, "unit" text not null, "month" text not null, "used" integer not null, "overage" integer not null, constraint "usage_counters_key" primary key ("account_id", "unit", "month"));
CREATE TABLE "uploads" ("id" text primary key, "slug" text not null unique, "account_id" text not null references "accounts" ("id") on delete cascade, "key_id" text, "filename" text not null, "content_type" text not null, "size_bytes" integer not null, "width" integer, "height" integer, "sha256" text not null, "delete_token_hash" text not null, "created_at" bigint not null, "expires_at" bigint, "deleted_at" bigint);
CREATE INDEX "uploads_account_time" on "uploads" ("account_id", "created_at", "id");
CREATE INDEX "uploads_expiring" on "uploads" ("expires_at") where "expires_at" is not null;
CREATE INDEX "uploads_deleted" on "uploads" ("deleted_at") where "deleted_at" is not null;
CREATE TABLE "renders" ("id" text primary key, "account_id" text not null references "accounts" ("id") on delete cascade, "key_id" text, "kind" text not null, "target" text not null, "failure" text, "options" text not null, "content_type" text not null, "size_bytes" integer, "duration_ms" integer, "sha256" text, "hosted" integer not null, "created_at" bigint not null, "expires_at" bigint, "deleted_at" bigint);
CREATE INDEX "renders_account_time" on "renders" ("account_id", "created_at", "id");
CREATE INDEX "renders_time" on "renders" ("created_at");
CREATE INDEX "renders_expiring" on "renders" ("expires_at") where "expires_at" is not null;
CREATE INDEX "renders_deleted" on "renders" ("deleted_at") where "deleted_at" is not null;
CREATE TABLE "render_leases" ("id" text primary key, "account_id" text not null references "accounts" ("id") on delete cascade, "expires_at" bigint not null);
CREATE INDEX "render_leases_account" on "render_leases" ("account_id");
CREATE TABLE "idempotency_keys" ("account_id" text not null references "accounts" ("id") on delete cascade, "endpoint" text not null, "idempotency_key" text not null, "fingerprint" text not null, "attempt" text not null unique, "locked_until" bigint not null, "created_at" bigint not null, "status" integer, "headers" text, "body" text, "render_id" text, constraint "idempotency_keys_key" primary key ("account_id", "endpoint", "idempotency_key"));
CREATE INDEX "idempotency_keys_time" on "idempotency_keys" ("created_at");
CREATE TABLE "settings" ("name" text primary key, "value" text not null);
CREATE TABLE "people" ("id" text primary key references "accounts" ("id") on delete cascade, "name" text not null, "email" text not null unique, "email_verified" integer not null, "image" text, "created_at" date not null, "updated_at" date not null, "two_factor_enabled" integer);
CREATE TABLE "sessions" ("id" text primary key, "person_id" text not null references "people" ("id") on delete cascade, "token" text not null unique, "expires_at" date not null, "address" text, "user_agent" text, "created_at" date not null, "updated_at" date not null);
CREATE INDEX "sessions_person_id_idx" on "sessions" ("person_id");
CREATE TABLE "credentials" ("id" text primary key, "person_id" text not null references "people" ("id") on delete cascade, "account_id" text not null, "provider_id" text not null, "password" text, "access_token" text, "refresh_token" text, "id_token" text, "access_token_expires_at" date, "refresh_token_expires_at" date, "scope" text, "created_at" date not null, "updated_at" date not null);
CREATE INDEX "credentials_person_id_idx" on "credentials" ("person_id");
CREATE TABLE "verifications" ("id" text primary key, "identifier" text not null, "value" text not null, "expires_at" date not null, "created_at" date not null, "updated_at" date not null);
CREATE INDEX "verifications_identifier_idx" on "verifications" ("identifier");
CREATE TABLE "usage_days" ("account_id" text not null references "accounts" ("id") on delete cascade, "day" integer not null, "unit" text not null, "key_id" text not null, "used" integer not null, "overage" integer not null, constraint "usage_days_key" primary key ("account_id", "day", "unit", "key_id"));
CREATE TABLE "audit_log" ("id" text primary key, "actor_id" text not null, "actor_email" text not null, "action" text not null, "target_id" text, "target_email" text, "detail" text not null, "created_at" bigint not null);
CREATE INDEX "audit_log_time" on "audit_log" ("created_at", "id");
CREATE INDEX "renders_failed" on "renders" ("account_id", "created_at") where failure is not null;
CREATE TABLE "two_factors" ("id" text primary key, "person_id" text not null references "people" ("id") on delete cascade, "secret" text not null, "backup_codes" text not null, "verified" integer, "failed_count" integer, "locked_until" date);
CREATE UNIQUE INDEX "two_factors_person_id_idx" on "two_factors" ("person_id");
CREATE TABLE "passkeys" ("id" text primary key, "person_id" text not null references "people" ("id") on delete cascade, "name" text, "credential_id" text not null unique, "public_key" text not null, "counter" bigint not null, "device_type" text not null, "backed_up" integer not null, "transports" text, "aaguid" text, "created_at" date);
CREATE INDEX "passkeys_person_id_idx" on "passkeys" ("person_id");
CREATE TABLE usage_events (
      account_id text not null references accounts (id) on delete cascade, created_at bigint not null, source_id text not null,
      key_id text, unit text not null, month text not null, overage integer not null,
      primary key (account_id, created_at, source_id)
    ) without rowid;
CREATE TABLE request_log (
      account_id text not null references accounts (id) on delete cascade, created_at bigint not null, id text not null,
      key_id text, path text not null, status integer not null, code text, reason text, duration_ms integer not null, "phases" text, "made" text,
      primary key (account_id, created_at, id)
    ) without rowid;
CREATE INDEX request_log_time on request_log (created_at);
CREATE TABLE "request_days" ("account_id" text not null references "accounts" ("id") on delete cascade, "day" integer not null, "key_id" text not null, "path" text not null, "refused" integer not null, "failed" integer not null, "took_0" integer not null, "took_1" integer not null, "took_2" integer not null, "took_3" integer not null, "took_4" integer not null, "took_5" integer not null, "took_6" integer not null, "took_7" integer not null, "took_8" integer not null, "took_9" integer not null, "took_10" integer not null, "took_11" integer not null, constraint "request_days_key" primary key ("account_id", "day", "key_id", "path"));
CREATE INDEX "request_days_day" on "request_days" ("day");
CREATE TABLE "quota_warnings" ("account_id" text not null references "accounts" ("id") on delete cascade, "month" text not null, "unit" text not null, "percent" integer not null, "used" integer not null, "quota" integer not null, "created_at" bigint not null, "sent_at" bigint, constraint "quota_warnings_key" primary key ("account_id", "month", "unit", "percent"));
CREATE INDEX "quota_warnings_waiting" on "quota_warnings" ("created_at") where sent_at is null;
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
