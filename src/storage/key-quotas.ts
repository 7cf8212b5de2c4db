// The migration to quotas of single keys. schema.ts describes the columns. Like every migration it is never edited after a release, so it
// uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const keyQuotas = [
  'alter table api_keys add column uploads_per_month bigint',
  'alter table api_keys add column renders_per_month bigint',
  'alter table render_leases add column key_id text',
];
