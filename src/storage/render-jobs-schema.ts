// The migration to renders that are queued: the jobs, whose turn it is, and how far a render is. schema.ts describes the columns. Like
// every migration it is never edited after a release, so it uses nothing from the rest of the code.

const ofAccount = 'references accounts (id) on delete cascade';

/** One entry per statement, because SQLite's driver runs one at a time. */
export const renderJobsSchema = [
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
];
