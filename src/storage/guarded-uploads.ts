// The migration to uploads that ask for a password, or that can be shown a number of times. schema.ts describes the columns.
// Like every migration it is never edited after a release, so it uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const guardedUploads = [
  'alter table uploads add column password_hash text',
  'alter table uploads add column views_left integer',
];
