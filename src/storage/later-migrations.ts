// The migrations after the first, in order. They only add tables, indexes and columns with a default: a process of the version before
// goes on while the first of this version starts. schema.ts describes the columns. Like the first, they are never edited after a
// release, so they use nothing from the rest of the code.

const ofAccount = 'references accounts (id) on delete cascade';

/** The statements of each, one by one, because SQLite's driver runs one at a time. */
export const laterMigrations: [name: string, statements: readonly string[]][] = [
  [
    '0002_version_2',
    [
      'alter table renders add column reference text',
      'alter table renders add column units integer not null default 1',
      'alter table renders add column outputs integer not null default 1',
      'alter table renders add column receipt text',
      'alter table renders add column finished_at bigint',
      'update renders set units = 0, outputs = 0 where failure is not null',
      'create index renders_reference on renders (account_id, reference, created_at, id) where reference is not null',
      'alter table render_leases add column units integer not null default 1',
      `create table variants (
        key text primary key,
        owner_id text not null,
        account_id text not null ${ofAccount},
        size_bytes integer,
        sha256 text,
        failure text,
        created_at bigint not null
      )`,
      'create index variants_owner on variants (owner_id)',
      'create index variants_account on variants (account_id)',
      "alter table accounts add column webhook_events text not null default ''",
      `create table webhook_endpoints (
        id text primary key,
        account_id text not null ${ofAccount},
        url text,
        events text not null,
        created_at bigint not null,
        off_at bigint,
        off_reason text,
        notice integer not null default 0,
        waiting integer not null default 0,
        next_at bigint,
        leased_until bigint not null default 0
      )`,
      'create index webhook_endpoints_account on webhook_endpoints (account_id)',
      'create index webhook_endpoints_due on webhook_endpoints (next_at) where next_at is not null',
      'create index webhook_endpoints_notice on webhook_endpoints (off_at) where notice = 1',
      `create table webhook_deliveries (
        id text primary key,
        account_id text not null ${ofAccount},
        endpoint_id text not null references webhook_endpoints (id) on delete cascade,
        event text not null,
        url text,
        body text not null,
        created_at bigint not null,
        state text not null,
        attempts integer not null,
        next_at bigint
      )`,
      'create index webhook_deliveries_account on webhook_deliveries (account_id, created_at, id)',
      'create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, created_at, id)',
      'create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, next_at) where next_at is not null',
      `create table webhook_attempts (
        delivery_id text not null references webhook_deliveries (id) on delete cascade,
        number integer not null,
        at bigint not null,
        status integer,
        failure text,
        duration_ms integer not null,
        primary key (delivery_id, number)
      )`,
      `create table webhook_secrets (
        account_id text primary key ${ofAccount},
        sealed text not null,
        previous_sealed text,
        previous_until bigint,
        created_at bigint not null
      )`,
      'alter table uploads add column title text',
      "alter table uploads add column tags text not null default '[]'",
      "alter table uploads add column metadata_removed text not null default '[]'",
      `create table upload_tags (
        account_id text not null,
        tag text not null,
        upload_id text not null references uploads (id) on delete cascade,
        primary key (account_id, tag, upload_id)
      )`,
      'create index upload_tags_upload on upload_tags (upload_id)',
      "alter table renders add column state text not null default 'ended'",
      `create table render_jobs (
        id text primary key references renders (id) on delete cascade,
        account_id text not null ${ofAccount},
        key_id text,
        created_at bigint not null,
        units integer not null,
        webhook_url text,
        request_bytes integer not null,
        attempts integer not null default 0,
        claim text,
        leased_until bigint not null default 0,
        sending integer not null default 0
      )`,
      'create index render_jobs_account on render_jobs (account_id, created_at, id)',
      'create index render_jobs_claim on render_jobs (claim) where claim is not null',
      `create table render_queues (
        account_id text primary key ${ofAccount},
        turn bigint not null
      )`,
      'create index render_queues_turn on render_queues (turn)',
      'alter table renders add column cache_key text',
      'create index renders_cache on renders (account_id, cache_key, finished_at) where cache_key is not null',
      `create table render_flights (
        account_id text not null ${ofAccount},
        cache_key text not null,
        attempt text not null,
        locked_until bigint not null,
        failure text,
        failed_until bigint not null default 0,
        primary key (account_id, cache_key)
      )`,
      'create index render_flights_locked on render_flights (locked_until)',
      `create table link_keys (
        id text primary key,
        account_id text not null ${ofAccount},
        name text not null,
        sealed text not null,
        created_at bigint not null
      )`,
      'create index link_keys_account on link_keys (account_id, created_at)',
      `create table albums (
        id text primary key,
        slug text not null unique,
        account_id text not null ${ofAccount},
        title text,
        description text,
        created_at bigint not null,
        expires_at bigint
      )`,
      'create index albums_account on albums (account_id, created_at, id)',
      'create index albums_expiry on albums (expires_at) where expires_at is not null',
      'alter table uploads add column album_id text references albums (id) on delete set null',
      'create index uploads_album on uploads (album_id, created_at, id) where album_id is not null',
      `create table upload_links (
        id text primary key,
        account_id text not null ${ofAccount},
        token_hash text not null unique,
        title text,
        album_id text references albums (id) on delete cascade,
        max_files integer not null,
        max_bytes integer not null,
        used_files integer not null,
        used_bytes bigint not null,
        created_at bigint not null,
        expires_at bigint not null
      )`,
      'create index upload_links_account on upload_links (account_id, created_at, id)',
      'create index upload_links_album on upload_links (album_id) where album_id is not null',
      'create index upload_links_expiry on upload_links (expires_at)',
      'alter table uploads add column password_hash text',
      'alter table uploads add column views_left integer',
      `create unique index credentials_at_provider on credentials (provider_id, account_id)
        where provider_id <> 'credential'`,
      "alter table accounts add column allowed_hosts text not null default ''",
      `create table plans (
        id text primary key,
        definition text not null
      )`,
      `create table key_addresses (
        key_id text not null references api_keys (id) on delete cascade,
        address text not null,
        last_used_at bigint not null,
        primary key (key_id, address)
      )`,
      'alter table api_keys add column uploads_per_month bigint',
      'alter table api_keys add column renders_per_month bigint',
      'alter table render_leases add column key_id text',
    ],
  ],
  ['0003_counted_views', ['alter table uploads add column views integer not null default 0']],
  ['0004_kinds_of_requests', ['alter table request_log add column kind text']],
  [
    '0005_counted_albums',
    [
      // With all that decides whether an upload is shown, so that the uploads of an album are counted without being read.
      `create index uploads_shown on uploads (album_id, created_at, id, deleted_at, expires_at, views_left)
        where album_id is not null`,
    ],
  ],
  ['0006_messages_made_when_sent', ['alter table webhook_deliveries add column render_id text']],
  ['0007_fields_of_refusals', ['alter table request_log add column field text']],
  [
    '0008_filters_of_lists',
    [
      'create index uploads_sha256 on uploads (account_id, sha256, created_at, id)',
      // Few renders: those that wait or run, and the last that failed or were canceled.
      `create index renders_unsuccessful on renders (account_id, created_at, id)
        where (state <> 'ended' or failure is not null)`,
    ],
  ],
];
