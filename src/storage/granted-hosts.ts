// The migration to private hosts that are granted to an account. schema.ts describes the column. Like every migration it is never edited
// after a release, so it uses nothing from the rest of the code.

/** One entry per statement, because SQLite's driver runs one at a time. */
export const grantedHosts = ["alter table accounts add column allowed_hosts text not null default ''"];
