// The migration to cached renders and to links: what a result answers, the flight of a render that many wait for, and the keys that
// sign links. schema.ts describes the columns. Like every migration it is never edited after a release, so it uses nothing from the
// rest of the code.

const ofAccount = 'account_id text not null references accounts (id) on delete cascade';

/** One entry per statement, because SQLite's driver runs one at a time. */
export const cacheAndLinks = [
  'alter table renders add column cache_key text',
  'create index renders_cache on renders (account_id, cache_key, finished_at) where cache_key is not null',
  `create table render_flights (
    ${ofAccount},
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
    ${ofAccount},
    name text not null,
    sealed text not null,
    created_at bigint not null
  )`,
  'create index link_keys_account on link_keys (account_id, created_at)',
];
