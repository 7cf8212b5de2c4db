// The migration to albums and upload links. schema.ts describes the columns. Like every migration it is never edited after a release,
// so it uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const albumsSchema = [
  `create table albums (
    id text primary key,
    slug text not null unique,
    account_id text not null references accounts (id) on delete cascade,
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
    account_id text not null references accounts (id) on delete cascade,
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
];
