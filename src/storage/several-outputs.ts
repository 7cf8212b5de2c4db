// The migration to renders with several outputs, a reference and a receipt. schema.ts describes the columns. Like every migration it is
// never edited after a release, so it uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const severalOutputs = [
  'alter table renders add column reference text',
  'alter table renders add column units integer not null default 1',
  'alter table renders add column outputs integer not null default 1',
  'alter table renders add column receipt text',
  'alter table renders add column finished_at bigint',
  'update renders set units = 0, outputs = 0 where failure is not null',
  'create index renders_reference on renders (account_id, reference, created_at, id) where reference is not null',
  'alter table render_leases add column units integer not null default 1',
];
