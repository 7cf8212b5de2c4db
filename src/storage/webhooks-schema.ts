// The migration to webhooks: endpoints, deliveries, attempts and the secret that signs them. schema.ts describes the columns. Like
// every migration it is never edited after a release, so it uses nothing from the rest of the code.

const ofAccount = 'account_id text not null references accounts (id) on delete cascade';

/** One entry per statement, because SQLite's driver runs one at a time. */
export const webhooksSchema = [
  "alter table accounts add column webhook_events text not null default ''",
  `create table webhook_endpoints (
    id text primary key,
    ${ofAccount},
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
    ${ofAccount},
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
    account_id text primary key references accounts (id) on delete cascade,
    sealed text not null,
    previous_sealed text,
    previous_until bigint,
    created_at bigint not null
  )`,
];
