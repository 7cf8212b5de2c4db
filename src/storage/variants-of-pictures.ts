// The migration to variants of pictures. schema.ts describes the columns. Like every migration it is never edited after a release, so it
// uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const variantsOfPictures = [
  `create table variants (
    key text primary key,
    owner_id text not null,
    account_id text not null references accounts (id) on delete cascade,
    size_bytes integer,
    sha256 text,
    failure text,
    created_at bigint not null
  )`,
  'create index variants_owner on variants (owner_id)',
  'create index variants_account on variants (account_id)',
];
