// The migration to the client addresses of keys. schema.ts describes the columns. Like every migration it is never edited after a
// release, so it uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const keyAddresses = [
  `create table key_addresses (
    key_id text not null references api_keys (id) on delete cascade,
    address text not null,
    last_used_at bigint not null,
    primary key (key_id, address)
  )`,
];
