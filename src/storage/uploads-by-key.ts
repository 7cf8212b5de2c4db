// The migration to uploads with a title and tags, and with a record of the metadata that was removed. schema.ts describes the columns.
// Like every migration it is never edited after a release, so it uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const uploadsByKey = [
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
];
